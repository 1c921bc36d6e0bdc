import { canonicalDate, type Json } from '@penstock/schema';
import { type Column, refused } from './cell';

const fromJson = (json: Json) => (typeof json === 'string' ? canonicalDate(json) : undefined);

export const TO_DATE: Column<'date'> = {
  string: () => canonicalDate,
  boolean: refused,
  int: refused,
  float: refused,
  decimal: refused,
  datetime: () => (datetime) => datetime.slice(0, 'yyyy-mm-dd'.length),
  date: () => (text) => text,
  time: refused,
  year: refused,
  uuid: refused,
  json: () => fromJson,
  ip: refused,
  array: refused,
  object: refused,
  map: refused,
};
