import { isJsonArray, isJsonObject, type Json, type Value } from '@penstock/schema';
import { type Column, type Converted, refused } from './cell';

/** Converts elements; undefined when one is null or does not convert. */
const elements = <T>(
  items: readonly T[],
  convert: (item: T) => Converted,
): readonly Value[] | undefined => {
  const converted: Value[] = [];
  for (const item of items) {
    const value = convert(item);
    if (value === null || value === undefined) return undefined;
    converted.push(value);
  }
  return converted;
};

export const TO_ARRAY: Column<'array'> = {
  string: refused,
  boolean: refused,
  int: refused,
  float: refused,
  decimal: refused,
  datetime: refused,
  date: refused,
  time: refused,
  year: refused,
  uuid: refused,
  json: (_from, { elementType }, { jsonConverter }) => {
    const convert = jsonConverter(elementType);
    return (json: Json) => {
      if (isJsonObject(json)) return undefined;
      return elements(isJsonArray(json) ? json : [json], convert);
    };
  },
  ip: refused,
  array: (from, { elementType }, { converter }) => {
    const convert = converter(from.elementType, elementType);
    return (
      convert && ((items) => elements(items, (item) => (item === null ? null : convert(item))))
    );
  },
  object: refused,
  map: refused,
};
