import { canonicalTime, type Json } from '@penstock/schema';
import { type Column, refused } from './cell';

const fromJson = (json: Json) => (typeof json === 'string' ? canonicalTime(json) : undefined);

export const TO_TIME: Column<'time'> = {
  string: () => canonicalTime,
  boolean: refused,
  int: refused,
  float: refused,
  decimal: refused,
  datetime: () => (datetime) => datetime.slice('yyyy-mm-ddT'.length, -'Z'.length),
  date: refused,
  time: () => (text) => text,
  year: refused,
  uuid: refused,
  json: () => fromJson,
  ip: refused,
  array: refused,
  object: refused,
  map: refused,
};
