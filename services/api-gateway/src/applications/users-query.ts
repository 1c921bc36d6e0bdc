import {
  isJsonObject,
  type Json,
  type JsonObject,
  JsonSyntaxError,
  parseJson,
  writeJson,
} from '@penstock/schema';
import { malformed } from '../http/read-json';
import { cursorLike, json, required } from '../openapi/schema/parameters';
import { parameter, type QueryParameters } from '../validation/page';

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

/** Reads a parameter that holds a JSON object; undefined when it is absent, `null` or empty. */
const objectParameter = (query: QueryParameters, name: string): JsonObject | undefined => {
  const text = parameter(query, name) ?? '';
  const given = text === '' ? null : parsed(text, name);
  if (given === null) return undefined;
  if (!isJsonObject(given)) throw malformed(`/${name}`, 'must be an object');
  return given.size === 0 ? undefined : given;
};

export const USERS_QUERY = [
  required(json('schema', 'The properties of the users to return.', 'Schema')),
  json('filter', 'Returns only users that match the filter.', 'Filter'),
  cursorLike('^([0-9]{1,9}\\.[A-Za-z0-9_-]*)?$'),
];

export interface UsersQuery {
  readonly schema: string;
  readonly filter: string | null;
  readonly cursor: string;
}

/** Reads the query of a list of users. @throws Refusal BadRequest */
export const usersQuery = (query: QueryParameters): UsersQuery => {
  const schema = objectParameter(query, 'schema');
  if (schema === undefined) throw malformed('/schema', 'is required');
  const filter = objectParameter(query, 'filter');
  return {
    schema: writeJson(schema),
    filter: filter === undefined ? null : writeJson(filter),
    cursor: parameter(query, 'cursor') ?? '',
  };
};
