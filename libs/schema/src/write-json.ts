import { isJsonArray, isJsonObject, type Json, JsonNumber, type JsonObject } from './json';

/** Compact JSON text; lone surrogates are written as escapes. */
export const writeJson = (json: Json): string => {
  if (typeof json === 'string') return writeJsonString(json);
  if (json instanceof JsonNumber) return json.text;
  if (isJsonObject(json)) return writeObject(json);
  return isJsonArray(json) ? writeArray(json) : String(json);
};

/** A JSON string: quotes, backslashes and control characters are escaped in their shortest form. */
export const writeJsonString = (text: string): string => JSON.stringify(text);

const writeArray = (elements: readonly Json[]): string => {
  let text = '';
  for (const element of elements) text += (text && ',') + writeJson(element);
  return `[${text}]`;
};

const writeObject = (members: JsonObject): string => {
  let text = '';
  for (const [name, value] of members)
    text += `${text && ','}${writeJsonString(name)}:${writeJson(value)}`;
  return `{${text}}`;
};
