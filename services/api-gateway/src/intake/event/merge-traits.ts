import { isJsonObject, type JsonObject, parseJson, writeJson } from '@penstock/schema';
import type { Leaf } from './leaf';

/** Merges compact texts of objects; members of `over` win. */
export const mergeTraits = (base: Leaf | undefined, over: Leaf | undefined): Leaf => {
  if (base === undefined || base === '{}') return over ?? '{}';
  if (over === undefined || over === '{}') return base;
  return writeJson(new Map([...membersOf(base), ...membersOf(over)]));
};

const membersOf = (text: Leaf): JsonObject => {
  const json = parseJson(text);
  if (!isJsonObject(json)) throw new TypeError('traits are an object');
  return json;
};
