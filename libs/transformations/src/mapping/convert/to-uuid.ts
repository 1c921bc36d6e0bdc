import { canonicalUuid, type Json } from '@penstock/schema';
import { type Column, refused } from './cell';

const fromJson = (json: Json) => (typeof json === 'string' ? canonicalUuid(json) : undefined);

export const TO_UUID: Column<'uuid'> = {
  string: () => canonicalUuid,
  boolean: refused,
  int: refused,
  float: refused,
  decimal: refused,
  datetime: refused,
  date: refused,
  time: refused,
  year: refused,
  uuid: () => (text) => text,
  json: () => fromJson,
  ip: refused,
  array: refused,
  object: refused,
  map: refused,
};
