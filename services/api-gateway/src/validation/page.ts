import type { Page, Search } from '@penstock/contracts';
import { codePointLength } from '@penstock/schema';
import { malformed } from '../http/read-json';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000;
/** No cursor of ours is longer. */
const MAX_CURSOR = 200;

/** Of a name there is nothing longer. */
const MAX_SEARCH = 100;

export type QueryParameters = Readonly<Record<string, unknown>>;

/** One parameter of a query string; given twice it is refused. */
export const parameter = (query: QueryParameters, name: string): string | undefined => {
  const value = query[name];
  if (value === undefined || typeof value === 'string') return value;
  throw malformed(`/${name}`, 'must be given once');
};

/** The same for `true` and `false`; anything else is refused. */
export const flagParameter = (query: QueryParameters, name: string): boolean | undefined => {
  const value = parameter(query, name);
  if (value !== undefined && value !== 'true' && value !== 'false')
    throw malformed(`/${name}`, 'must be true or false');
  return value === undefined ? undefined : value === 'true';
};

/** Where a list goes on. @throws Refusal BadRequest */
export const pageOf = (query: QueryParameters): Page => {
  const limit = parameter(query, 'limit') ?? String(DEFAULT_LIMIT);
  const cursor = parameter(query, 'cursor') ?? '';
  if (!/^\d{1,4}$/.test(limit) || Number(limit) < 1 || Number(limit) > MAX_LIMIT)
    throw malformed('/limit', `must be a whole number from 1 to ${MAX_LIMIT}`);
  if (cursor.length > MAX_CURSOR || /[^\x21-\x7e]/.test(cursor))
    throw malformed('/cursor', 'must be a cursor that a list has answered');
  return { limit: Number(limit), cursor };
};

/** The same for a list of objects with names. @throws Refusal BadRequest */
export const searchOf = (query: QueryParameters): Page & Search => {
  const search = parameter(query, 'search');
  if (search === undefined) return pageOf(query);
  const length = codePointLength(search);
  if (length < 1 || length > MAX_SEARCH)
    throw malformed('/search', `must be 1 to ${MAX_SEARCH} characters`);
  return { ...pageOf(query), search };
};
