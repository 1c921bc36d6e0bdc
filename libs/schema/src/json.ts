/** A number of a JSON text, with its digits as they were written: `1.50` stays `1.50`. */
export class JsonNumber {
  /** @param text a number by the grammar of RFC 8259. */
  constructor(readonly text: string) {}
}

/**
 * A JSON value without loss: numbers keep their text, objects the order of their members (a plain object
 * would move members whose names are integers to the front, and would resolve `__proto__`).
 */
export type Json = null | boolean | string | JsonNumber | readonly Json[] | JsonObject;

/** The members of an object in the order of the text. */
export type JsonObject = ReadonlyMap<string, Json>;

/** Whether the value is an object; arrays and `null` are none. */
export const isJsonObject = (json: Json | undefined): json is JsonObject => json instanceof Map;

/** Whether the value is an array. */
export const isJsonArray = (json: Json | undefined): json is readonly Json[] => Array.isArray(json);
