import { JsonText, type Type } from '@penstock/schema';
import type { Column, Convert } from './cell';
import { jsonTextOf } from './json-text-of';

const natural = (from: Type) => {
  const textOf = jsonTextOf(from);
  return (value: Parameters<Convert>[0]) => {
    const text = textOf(value);
    return text === undefined ? undefined : JsonText.trusted(text);
  };
};

export const TO_JSON: Column<'json'> = {
  string: natural,
  boolean: natural,
  int: natural,
  float: natural,
  decimal: natural,
  datetime: natural,
  date: natural,
  time: natural,
  year: natural,
  uuid: natural,
  json: () => (json) => JsonText.of(json),
  ip: natural,
  array: natural,
  object: natural,
  map: natural,
};
