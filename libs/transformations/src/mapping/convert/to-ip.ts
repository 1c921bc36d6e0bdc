import { canonicalIp, type Json } from '@penstock/schema';
import { type Column, refused } from './cell';

const fromJson = (json: Json) => (typeof json === 'string' ? canonicalIp(json) : undefined);

export const TO_IP: Column<'ip'> = {
  string: () => canonicalIp,
  boolean: refused,
  int: refused,
  float: refused,
  decimal: refused,
  datetime: refused,
  date: refused,
  time: refused,
  year: refused,
  uuid: refused,
  json: () => fromJson,
  ip: () => (text) => text,
  array: refused,
  object: refused,
  map: refused,
};
