import { isJsonObject, JsonText, type Json, type Type, type Value } from '@penstock/schema';
import { type Column, type Convert, type Converted, refused } from './cell';

/** Converts the values of a map; undefined when one is null or does not convert. */
const entries = <T>(
  given: Iterable<readonly [string, T]>,
  convert: (value: T) => Converted,
): ReadonlyMap<string, Value> | undefined => {
  const converted = new Map<string, Value>();
  for (const [key, item] of given) {
    const value = convert(item);
    if (value === null || value === undefined) return undefined;
    converted.set(key, value);
  }
  return converted;
};

/** Converts null to JSON null when the map contains JSON. */
const orNull = (convert: Convert, element: Type): ((value: Value) => Converted) => {
  const none = element.kind === 'json' ? JsonText.of(null) : null;
  return (value) => (value === null ? none : convert(value));
};

export const TO_MAP: Column<'map'> = {
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
    return (json: Json) => (isJsonObject(json) ? entries(json, convert) : undefined);
  },
  ip: refused,
  array: refused,
  object: ({ properties }, { elementType }, { converter }) => {
    const conversions: [name: string, convert: (value: Value) => Converted][] = [];
    for (const { name, type } of properties) {
      const convert = converter(type, elementType);
      if (!convert) return undefined;
      conversions.push([name, orNull(convert, elementType)]);
    }
    return (value) => {
      const given = conversions.flatMap(([name, convert]): [string, Converted][] => {
        const member = value[name];
        return member === undefined ? [] : [[name, convert(member)]];
      });
      return entries(given, (converted) => converted);
    };
  },
  map: (from, { elementType }, { converter }) => {
    const convert = converter(from.elementType, elementType);
    return convert && ((value) => entries(value, orNull(convert, elementType)));
  },
};
