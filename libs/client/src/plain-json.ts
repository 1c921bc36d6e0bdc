import {
  isJsonArray,
  isJsonObject,
  type Json,
  JsonNumber,
  parseJson,
  writeJson,
} from '@penstock/schema';

const INTEGER = /^-?\d+$/;

const numberOf = ({ text }: JsonNumber): number | bigint => {
  const number = Number(text);
  return INTEGER.test(text) && !Number.isSafeInteger(number) ? BigInt(text) : number;
};

const plain = (json: Json): unknown => {
  if (json instanceof JsonNumber) return numberOf(json);
  if (isJsonArray(json)) return json.map(plain);
  if (isJsonObject(json))
    return Object.fromEntries(Array.from(json, ([name, value]) => [name, plain(value)]));
  return json;
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** Converts a value as `JSON.stringify` would: members that are undefined are left out. */
const jsonOf = (value: unknown): Json => {
  if (typeof value === 'bigint' || typeof value === 'number') return new JsonNumber(String(value));
  if (Array.isArray(value)) return value.map(jsonOf);
  if (!isObject(value)) return value as Json;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return new Map(members.map(([name, member]) => [name, jsonOf(member)]));
};

/** Parses JSON as `JSON.parse` does, except that integers which a double cannot hold become a `bigint`. */
export const readPlainJson = (text: string): unknown => plain(parseJson(text));

/** Serializes what {@link readPlainJson} returns. */
export const writePlainJson = (value: unknown): string => writeJson(jsonOf(value));
