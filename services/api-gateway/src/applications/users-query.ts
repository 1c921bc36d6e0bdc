import { Refusal } from '@penstock/contracts';
import { writeJson } from '@penstock/schema';
import { malformed } from '../http/read-json';
import { cursorLike, json, required } from '../openapi/schema/parameters';
import { objectParameter } from '../validation/object-parameter';
import { parameter, type QueryParameters } from '../validation/page';

export const USERS_QUERY = [
  required(json('schema', 'The properties of the users to return.', 'Schema')),
  json('filter', 'Returns only users that match the filter.', 'Filter'),
  cursorLike('^([0-9]{1,9}\\.[A-Za-z0-9_-]*)?$'),
];

const HIDDEN = 'a key of scope read sees no values of users, and cannot filter by them';

export interface UsersQuery {
  readonly schema: string;
  readonly filter: string | null;
  readonly cursor: string;
}

/**
 * Reads the query of a list of users.
 *
 * @param withValues whether the caller sees values: if not, a filter would tell them by the users that match.
 * @throws Refusal BadRequest, Forbidden
 */
export const usersQuery = (query: QueryParameters, withValues: boolean): UsersQuery => {
  const schema = objectParameter(query, 'schema');
  if (schema === undefined) throw malformed('/schema', 'is required');
  const filter = objectParameter(query, 'filter');
  if (filter !== undefined && !withValues)
    throw new Refusal('Forbidden', { details: [{ path: '/filter', message: HIDDEN }] });
  return {
    schema: writeJson(schema),
    filter: filter === undefined ? null : writeJson(filter),
    cursor: parameter(query, 'cursor') ?? '',
  };
};
