import { type Column, refused } from './cell';

const TRUE = new Set(['true', 'True', 'TRUE', 'yes', 'Yes', 'YES']);
const FALSE = new Set(['false', 'False', 'FALSE', 'no', 'No', 'NO']);

export const TO_BOOLEAN: Column<'boolean'> = {
  string: () => (text) => (TRUE.has(text) ? true : FALSE.has(text) ? false : undefined),
  boolean: () => (value) => value,
  int: ({ bitSize }) => (bitSize === 8 ? (value) => value !== 0 : undefined),
  float: refused,
  decimal: refused,
  datetime: refused,
  date: refused,
  time: refused,
  year: refused,
  uuid: refused,
  json: () => (json) => (typeof json === 'boolean' ? json : undefined),
  ip: refused,
  array: refused,
  object: refused,
  map: refused,
};
