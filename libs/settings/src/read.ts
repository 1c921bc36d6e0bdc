import { isJsonArray, isJsonObject, JsonNumber, type JsonObject } from '@penstock/schema';

/** Reads a text from settings that were checked. Throws a TypeError when it is missing, which is a bug. */
export const readText = (settings: JsonObject, name: string): string =>
  present(readOptionalText(settings, name), name);

/** Reads a text that may be absent or `null`, which is undefined. */
export const readOptionalText = (settings: JsonObject, name: string): string | undefined => {
  const json = settings.get(name);
  return typeof json === 'string' ? json : undefined;
};

/** Reads a number from settings that were checked. Throws a TypeError when it is missing, which is a bug. */
export const readNumber = (settings: JsonObject, name: string): number =>
  present(readOptionalNumber(settings, name), name);

/** Reads a number that may be absent or `null`, which is undefined. */
export const readOptionalNumber = (settings: JsonObject, name: string): number | undefined => {
  const json = settings.get(name);
  return json instanceof JsonNumber ? Number(json.text) : undefined;
};

/** Reads an object that may be absent or `null`, which is undefined. */
export const readOptionalObject = (settings: JsonObject, name: string): JsonObject | undefined => {
  const json = settings.get(name);
  return isJsonObject(json) ? json : undefined;
};

/**
 * Reads a list of objects from settings that were checked.
 *
 * @returns empty when it is absent.
 */
export const readObjects = (settings: JsonObject, name: string): readonly JsonObject[] => {
  const json = settings.get(name);
  return isJsonArray(json) ? json.filter(isJsonObject) : [];
};

const present = <Value>(value: Value | undefined, name: string): Value => {
  if (value === undefined) throw new TypeError(`settings without ${name} were not checked`);
  return value;
};
