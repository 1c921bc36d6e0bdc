import { isJsonArray, isJsonObject, type Json } from './json';
import { parseJson } from './parse-json';
import { writeJson } from './write-json';

/** In place of every value. */
export const MASK = '••••';

const masked = (value: Json): Json => {
  if (value === null) return null;
  if (isJsonArray(value)) return value.map(masked);
  if (isJsonObject(value)) return new Map([...value].map(([name, each]) => [name, masked(each)]));
  return MASK;
};

/** The same JSON text with every value replaced; members, the lengths of arrays and nulls stay. */
export const maskedValues = (text: string): string => writeJson(masked(parseJson(text)));
