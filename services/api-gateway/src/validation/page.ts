import type { Page, Search } from '@penstock/contracts';
import { codePointLength } from '@penstock/schema';
import { malformed } from '../http/read-json';

const DEFAULT_LIMIT = 100;
/** Items of the longest page. */
export const MAX_LIMIT = 1_000;
/** Upper bound for the length of cursors. */
const MAX_CURSOR = 200;
/** The same where a cursor holds values, the message id of an event for one. */
export const MAX_VALUE_CURSOR = 4_000;

/** Upper bound for the length of names. */
const MAX_SEARCH = 100;

export type QueryParameters = Readonly<Record<string, unknown>>;

/** Reads a parameter of a query string. @throws Refusal BadRequest when it is repeated. */
export const parameter = (query: QueryParameters, name: string): string | undefined => {
  const value = query[name];
  if (value === undefined || typeof value === 'string') return value;
  throw malformed(`/${name}`, 'must be given once');
};

/** Reads a parameter that is `true` or `false`. @throws Refusal BadRequest for any other value. */
export const flagParameter = (query: QueryParameters, name: string): boolean | undefined => {
  const value = parameter(query, name);
  if (value !== undefined && value !== 'true' && value !== 'false')
    throw malformed(`/${name}`, 'must be true or false');
  return value === undefined ? undefined : value === 'true';
};

/**
 * Reads limit and cursor of a list.
 *
 * @param maxCursor length of the longest cursor that the list answers.
 * @throws Refusal BadRequest
 */
export const pageOf = (query: QueryParameters, maxCursor = MAX_CURSOR): Page => {
  const limit = parameter(query, 'limit') ?? String(DEFAULT_LIMIT);
  const cursor = parameter(query, 'cursor') ?? '';
  if (!/^\d{1,4}$/.test(limit) || Number(limit) < 1 || Number(limit) > MAX_LIMIT)
    throw malformed('/limit', `must be a whole number from 1 to ${MAX_LIMIT}`);
  if (cursor.length > maxCursor || /[^\x21-\x7e]/.test(cursor))
    throw malformed('/cursor', 'must be a cursor that a list has answered');
  return { limit: Number(limit), cursor };
};

/** Reads limit, cursor and search of a list of named objects. @throws Refusal BadRequest */
export const searchOf = (query: QueryParameters): Page & Search => {
  const search = parameter(query, 'search');
  if (search === undefined) return pageOf(query);
  const length = codePointLength(search);
  if (length < 1 || length > MAX_SEARCH)
    throw malformed('/search', `must be 1 to ${MAX_SEARCH} characters`);
  return { ...pageOf(query), search };
};
