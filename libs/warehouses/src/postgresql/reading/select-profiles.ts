import type { ProfilesWanted } from '../../platform/profile-reads';
import { profileColumns } from '../columns/profile-columns';
import { filterSql } from '../filtering/filter-sql';
import { qualified } from '../sql/names';
import type { ValueColumn } from './column-values';
import { behind, orderSql, sortingOf } from './profile-places';
import { profileSql } from './stored-profile';

/** Bytes of the values of a page, but for its first profile. An answer of the API has no room for more. */
const MAX_PAGE_BYTES = 700_000;

const where = (conditions: readonly (string | undefined)[]): string => {
  const given = conditions.filter((condition) => condition !== undefined);
  return given.length === 0 ? '' : `WHERE ${given.join(' AND ')}`;
};

const filterOf = ({ filter, profiles: { schema } }: ProfilesWanted): string | undefined =>
  filter === null ? undefined : `(${filterSql(filter, schema, profileColumns(schema))})`;

/** One more than wanted is looked at, which `found` counts; those that are too large together are left out. */
export const selectProfiles = (
  schema: string,
  wanted: ProfilesWanted,
  columns: readonly ValueColumn[],
): string => {
  const { limit, after, order, profiles } = wanted;
  const sorting = sortingOf(order, profiles.schema);
  const listed = orderSql(sorting, 'sorted_by');
  return `
  SELECT id, "createdAt", "updatedAt", "values", found::int, sorted_by::text AS "sortedBy"
  FROM (SELECT *, count(*) OVER () AS found, row_number() OVER listed AS number,
               sum(octet_length("values"::text)) OVER listed AS bytes
        FROM (SELECT _profile_id, sorted_by, ${profileSql(columns)}
              FROM (SELECT *, ${sorting.expression} AS sorted_by FROM ${qualified(schema, '_profiles')}
                    ${where([filterOf(wanted), after === undefined ? undefined : behind(sorting, after)])}
                    ORDER BY ${orderSql(sorting, sorting.expression)} LIMIT ${String(limit + 1)}) AS looked_at) AS read
        WINDOW listed AS (ORDER BY ${listed} ROWS UNBOUNDED PRECEDING)) AS measured
  WHERE number <= ${String(limit)} AND (number = 1 OR bytes <= ${String(MAX_PAGE_BYTES)})
  ORDER BY ${listed}`;
};

/** How many there are on all pages, as `total`. */
export const countProfiles = (schema: string, wanted: ProfilesWanted): string =>
  `SELECT count(*)::text AS total FROM ${qualified(schema, '_profiles')} ${where([filterOf(wanted)])}`;
