import type { ProfilePlace, StoredProfile } from '../../platform/profile-reads';
import { placeOf } from './profile-places';
import { recordOf, type ValueColumn, valuesSql } from './column-values';
import { areTextsOrNull, isText, isTextOrNull, isTime, memberOf, type Row, timeSql } from './rows';

const TABLE = '_profiles';

const member = memberOf(TABLE);

/** SQL of what {@link storedProfile} reads. */
export const profileSql = (columns: readonly ValueColumn[]): string =>
  `_profile_id::text AS id, ${timeSql('_created_at')} AS "createdAt", ${timeSql('_updated_at')} AS "updatedAt",
   ${valuesSql(columns)} AS "values"`;

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
  return (row) => {
    const profile = stored(row);
    return { ...profile, place: placeOf(profile.id, member(row, 'sortedBy', isTextOrNull)) };
  };
};
