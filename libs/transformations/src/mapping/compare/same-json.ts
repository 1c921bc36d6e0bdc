import {
  isJsonArray,
  isJsonObject,
  type Json,
  JsonNumber,
  type JsonObject,
} from '@penstock/schema';
import { sameNumberText } from './same-number';

const sameArray = (a: readonly Json[], b: readonly Json[]): boolean =>
  a.length === b.length && a.every((element, index) => sameJson(element, b[index]));

const sameObject = (a: JsonObject, b: JsonObject): boolean => {
  if (a.size !== b.size) return false;
  for (const [name, member] of a) if (!sameJson(member, b.get(name))) return false;
  return true;
};

/** Compares JSON structurally: objects regardless of order, numbers by value. */
export const sameJson = (a: Json | undefined, b: Json | undefined): boolean => {
  if (a instanceof JsonNumber) return b instanceof JsonNumber && sameNumberText(a.text, b.text);
  if (isJsonArray(a)) return isJsonArray(b) && sameArray(a, b);
  if (isJsonObject(a)) return isJsonObject(b) && sameObject(a, b);
  return a !== undefined && a === b;
};
