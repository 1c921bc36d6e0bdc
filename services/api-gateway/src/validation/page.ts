import type { Page } from '@penstock/contracts';
import { malformed } from '../http/read-json';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000;
/** No cursor of ours is longer. */
const MAX_CURSOR = 200;

export type QueryParameters = Readonly<Record<string, unknown>>;

/** One parameter of a query string; given twice it is refused. */
export const parameter = (query: QueryParameters, name: string): string | undefined => {
  const value = query[name];
  if (value === undefined || typeof value === 'string') return value;
  throw malformed(`/${name}`, 'must be given once');
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
