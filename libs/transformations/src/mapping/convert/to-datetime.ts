import { canonicalDateTime, type Json } from '@penstock/schema';
import { type Column, refused } from './cell';

const fromJson = (json: Json) => (typeof json === 'string' ? canonicalDateTime(json) : undefined);

export const TO_DATETIME: Column<'datetime'> = {
  string: () => canonicalDateTime,
  boolean: refused,
  int: refused,
  float: refused,
  decimal: refused,
  datetime: () => (text) => text,
  date: () => (date) => `${date}T00:00:00Z`,
  time: refused,
  year: refused,
  uuid: refused,
  json: () => fromJson,
  ip: refused,
  array: refused,
  object: refused,
  map: refused,
};
