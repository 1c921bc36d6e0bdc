import { snowflakeText } from '@penstock/databases';
import type { ProfilePlace, ProfilesWanted, StoredProfile } from '../../platform/profile-reads';
import type { ValueColumn } from '../../profiles/value-columns';
import { MAX_PAGE_BYTES } from '../../reading/max-page-bytes';
import { profileColumns } from '../columns/profile-columns';
import { filterSql } from '../filtering/filter-sql';
import { type Place, qualified } from '../sql/names';
import { selectPage, where } from './page-sql';
import { placeIn, type Sorting } from './places';
import { recordReader, valuesBytes, valuesShown } from './record-cells';
import { membersOf, type Row, type Selection, shownSql } from './rows';
import { byColumn, byMoment, byUuid } from './sorting';

const TABLE = '_PROFILES';

const member = membersOf(TABLE);

const profileShown = (columns: readonly ValueColumn[]): Readonly<Record<string, string>> => ({
  ID: '"_PROFILE_ID"',
  CREATED: '"_CREATED_AT"',
  UPDATED: '"_UPDATED_AT"',
  ...valuesShown(columns),
});

/** @throws WarehouseFault `unusable` for a row that no writer has written. */
export const storedProfile = (columns: readonly ValueColumn[]): ((row: Row) => StoredProfile) => {
  const record = recordReader(TABLE, columns);
  return (row) => ({
    id: member.text(row, 'ID'),
    createdAt: member.time(row, 'CREATED'),
    updatedAt: member.time(row, 'UPDATED'),
    attributes: record(row),
  });
};

/** The profile of an id; else the one that the id was merged into. */
export const selectProfile = (
  place: Place,
  id: string,
  columns: readonly ValueColumn[],
): Selection => {
  const profiles = qualified(place, TABLE);
  const shown = profileShown(columns);
  const uuid = snowflakeText(id);
  const sql = `
  SELECT ${shownSql(shown)} FROM ${profiles}
  WHERE "_PROFILE_ID" = COALESCE(
    (SELECT MAX("_PROFILE_ID") FROM ${profiles} WHERE "_PROFILE_ID" = ${uuid}),
    (SELECT MAX("PROFILE_ID") FROM ${qualified(place, '_PROFILE_ALIASES')} WHERE "ALIAS" = ${uuid}))`;
  return { sql, names: Object.keys(shown) };
};

const sortingOf = ({ order: { path, isDescending }, profiles }: ProfilesWanted): Sorting => ({
  by: path === null ? byMoment('_UPDATED_AT') : byColumn(path, profileColumns(profiles.schema)),
  isOptional: path !== null,
  isDescending,
  ids: [byUuid('_PROFILE_ID')],
});

const conditionsOf = ({ filter, profiles: { schema } }: ProfilesWanted): readonly string[] =>
  filter === null ? [] : [filterSql(filter, schema, profileColumns(schema))];

export const selectProfiles = (
  place: Place,
  wanted: ProfilesWanted,
  columns: readonly ValueColumn[],
): Selection =>
  selectPage({
    table: qualified(place, TABLE),
    conditions: conditionsOf(wanted),
    sorting: sortingOf(wanted),
    after: wanted.after,
    limit: wanted.limit,
    maxBytes: MAX_PAGE_BYTES,
    shown: profileShown(columns),
    bytes: valuesBytes(columns),
  });

/** A profile of a list, with its place in it. @throws WarehouseFault as {@link storedProfile} */
export const listedProfile = (
  wanted: ProfilesWanted,
  columns: readonly ValueColumn[],
): ((row: Row) => StoredProfile & { readonly place: ProfilePlace }) => {
  const stored = storedProfile(columns);
  const place = placeIn(TABLE, sortingOf(wanted));
  return (row) => ({ ...stored(row), place: place(row) });
};

/** How many match, on all pages, as `TOTAL`. @param wanted absent: all */
export const countProfiles = (place: Place, wanted?: ProfilesWanted): Selection => {
  const conditions = wanted === undefined ? [] : conditionsOf(wanted);
  const sql = `SELECT COUNT(*) AS "TOTAL" FROM ${qualified(place, TABLE)} ${where(conditions)}`;
  return { sql, names: ['TOTAL'] };
};
