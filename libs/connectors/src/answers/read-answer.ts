import { isJsonObject, JsonSyntaxError, type JsonObject, parseJson } from '@penstock/schema';

/** The members of an answer that is a JSON object; none when it is anything else. */
export const readAnswer = (body: string): JsonObject => {
  try {
    const json = parseJson(body);
    return isJsonObject(json) ? json : new Map();
  } catch (error) {
    if (error instanceof JsonSyntaxError) return new Map();
    throw error;
  }
};
