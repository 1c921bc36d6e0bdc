import type { ProfilePlace, ScannedProfile, StoredProfile } from '../../platform/profile-reads';
import { placeOf } from './places';
import type { ValueColumn } from '../columns/profile-columns';
import { recordOf, valuesSql } from './column-values';
import { areTextsOrNull, isFlag, isText, isTime, memberOf, type Row, timeSql } from './rows';

const TABLE = '_profiles';

const member = memberOf(TABLE);

/** SQL of what {@link storedProfile} reads, by names. */
export const profileSql = (columns: readonly ValueColumn[]) => ({
  id: '_profile_id::text',
  createdAt: timeSql('_created_at'),
  updatedAt: timeSql('_updated_at'),
  values: valuesSql(columns),
});

/** @throws WarehouseFault `unusable` for a row that no writer has written. */
export const storedProfile =
  (columns: readonly ValueColumn[]) =>
  (row: Row): StoredProfile => ({
    id: member(row, 'id', isText),
    createdAt: member(row, 'createdAt', isTime),
    updatedAt: member(row, 'updatedAt', isTime),
    attributes: recordOf(TABLE, columns, member(row, 'values', areTextsOrNull)),
  });

/** A profile of a list, with its place in it. @throws WarehouseFault as {@link storedProfile} */
export const listedProfile = (
  columns: readonly ValueColumn[],
): ((row: Row) => StoredProfile & { readonly place: ProfilePlace }) => {
  const stored = storedProfile(columns);
  return (row) => ({ ...stored(row), place: placeOf(member(row, 'place', areTextsOrNull)) });
};

/** SQL of what {@link scannedProfile} reads, by names. @param condition that a profile has to fulfil; absent: each matches */
export const scannedSql = (columns: readonly ValueColumn[], condition: string | undefined) => {
  const values = valuesSql(columns);
  const isMatch = condition ?? 'true';
  return {
    id: '_profile_id::text',
    matches: `coalesce(${isMatch}, false)`,
    // Of those that are left out nothing is read.
    values:
      condition === undefined
        ? values
        : `CASE WHEN ${isMatch} THEN ${values} ELSE '{}'::text[] END`,
  };
};

/** @throws WarehouseFault as {@link storedProfile} */
export const scannedProfile =
  (columns: readonly ValueColumn[]) =>
  (row: Row): ScannedProfile => ({
    id: member(row, 'id', isText),
    attributes: member(row, 'matches', isFlag)
      ? recordOf(TABLE, columns, member(row, 'values', areTextsOrNull))
      : null,
  });
