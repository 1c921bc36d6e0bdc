import {
  isJsonArray,
  isJsonObject,
  type Json,
  JsonNumber,
  type JsonObject,
} from '@penstock/schema';

/** A file does not have the format; the message names what was expected. */
export class FormatError extends Error {
  override readonly name = 'FormatError';
}

/** @throws FormatError */
export const asObject = (json: Json | undefined): JsonObject => {
  if (!isJsonObject(json)) throw new FormatError('an object is expected');
  return json;
};

/** @throws FormatError */
export const asArray = (json: Json | undefined): readonly Json[] => {
  if (!isJsonArray(json)) throw new FormatError('an array is expected');
  return json;
};

/** A string, or the text of a number. @throws FormatError */
export const asText = (json: Json | undefined): string => {
  if (json instanceof JsonNumber) return json.text;
  if (typeof json !== 'string') throw new FormatError('a string or a number is expected');
  return json;
};
