import {
  isJsonObject,
  type Json,
  type JsonObject,
  JsonSyntaxError,
  parseJson,
} from '@penstock/schema';
import { malformed } from '../http/read-json';
import { parameter, type QueryParameters } from './page';

/** Same limit as for a request body. */
const MAX_DEPTH = 128;

const parsed = (text: string, name: string): Json => {
  try {
    return parseJson(text, { maxDepth: MAX_DEPTH });
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw malformed(`/${name}${error.path}`, `is not JSON: ${error.message}`);
  }
};

/**
 * Reads a parameter that holds a JSON object; undefined when it is absent, `null` or empty.
 *
 * @throws Refusal BadRequest that names the place in it.
 */
export const objectParameter = (query: QueryParameters, name: string): JsonObject | undefined => {
  const text = parameter(query, name) ?? '';
  const given = text === '' ? null : parsed(text, name);
  if (given === null) return undefined;
  if (!isJsonObject(given)) throw malformed(`/${name}`, 'must be an object');
  return given.size === 0 ? undefined : given;
};
