import type { ProfileOrder, ProfilesWanted } from '../../platform/profile-reads';
import type { ValueColumn } from '../../profiles/value-columns';
import { type ProfileColumn, profileColumns } from '../columns/profile-columns';
import { filterSql } from '../filtering/filter-sql';
import { qualified } from '../sql/names';
import { MAX_PAGE_BYTES } from '../../reading/max-page-bytes';
import { pageSql, where } from './page-sql';
import { placeSql, type Sorting } from './places';
import { byColumn } from './sorting';
import { profileSql } from './stored-profile';

const IDS = [{ expression: '_profile_id', sqlType: 'uuid' }];

const sortingOf = (
  { path, isDescending }: ProfileOrder,
  columns: readonly ProfileColumn[],
): Sorting =>
  path === null
    ? {
        expression: '_updated_at',
        sqlType: 'timestamptz',
        isOptional: false,
        isDescending,
        ids: IDS,
      }
    : { ...byColumn(path, columns), isOptional: true, isDescending, ids: IDS };

const conditionsOf = ({ filter, profiles: { schema } }: ProfilesWanted): readonly string[] =>
  filter === null ? [] : [filterSql(filter, schema, profileColumns(schema))];

export const selectProfiles = (
  schema: string,
  wanted: ProfilesWanted,
  columns: readonly ValueColumn[],
): string => {
  const sorting = sortingOf(wanted.order, profileColumns(wanted.profiles.schema));
  return pageSql({
    table: qualified(schema, '_profiles'),
    conditions: conditionsOf(wanted),
    sorting,
    after: wanted.after,
    limit: wanted.limit,
    maxBytes: MAX_PAGE_BYTES,
    shown: { ...profileSql(columns), place: placeSql(sorting) },
  });
};

/** How many there are on all pages, as `total`. */
export const countProfiles = (schema: string, wanted: ProfilesWanted): string =>
  `SELECT count(*)::text AS total FROM ${qualified(schema, '_profiles')} ${where(conditionsOf(wanted))}`;
