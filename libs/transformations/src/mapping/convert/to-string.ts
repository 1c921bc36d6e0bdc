import { floatText, type Json } from '@penstock/schema';
import { type Column, refused } from './cell';
import { jsonScalarText } from './text-of';

const identity = () => (text: string) => text;
const written = () => (value: boolean | number | bigint) => String(value);
const fromJson = () => (json: Json) => (json === null ? null : jsonScalarText(json));

export const TO_STRING: Column<'string'> = {
  string: identity,
  boolean: written,
  int: written,
  float:
    ({ bitSize }) =>
    (value) =>
      floatText(value, bitSize),
  decimal: identity,
  datetime: identity,
  date: identity,
  time: identity,
  year: written,
  uuid: identity,
  json: fromJson,
  ip: identity,
  array: refused,
  object: refused,
  map: refused,
};
