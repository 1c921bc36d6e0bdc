import {
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  JsonNumber,
} from '@penstock/schema';
import { Undocumented } from './read-json';

/** An object. @throws Undocumented when the JSON is none. */
export const objectOf = (json: Json | undefined): JsonObject => {
  if (!isJsonObject(json)) throw new Undocumented('an object is missing');
  return json;
};

/** An array. @throws Undocumented when the JSON is none. */
export const listOf = (json: Json | undefined): readonly Json[] => {
  if (json === undefined || !isJsonArray(json)) throw new Undocumented('an array is missing');
  return json;
};

/** A text. @throws Undocumented when the JSON is none. */
export const stringOf = (json: Json | undefined): string => {
  if (typeof json !== 'string') throw new Undocumented('a text is missing');
  return json;
};

/** An integer that JavaScript can hold. @throws Undocumented when the JSON is none. */
export const integerOf = (json: Json | undefined): number => {
  const number = json instanceof JsonNumber ? Number(json.text) : Number.NaN;
  if (!Number.isSafeInteger(number)) throw new Undocumented('an integer is missing');
  return number;
};
