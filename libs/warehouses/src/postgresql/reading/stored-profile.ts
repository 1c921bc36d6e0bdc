import type { ProfilePlace, StoredProfile } from '../../platform/profile-reads';
import { placeOf } from './places';
import type { ValueColumn } from '../columns/profile-columns';
import { recordOf, valuesSql } from './column-values';
import { areTextsOrNull, isText, isTime, memberOf, type Row, timeSql } from './rows';

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
