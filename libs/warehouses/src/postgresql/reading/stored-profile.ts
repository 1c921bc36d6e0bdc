import type { ProfilePlace, ScannedProfile, StoredProfile } from '../../platform/profile-reads';
import { placeOf } from './places';
import type { ValueColumn } from '../../profiles/value-columns';
import { recordReader, valuesSql } from './column-values';
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
export const storedProfile = (columns: readonly ValueColumn[]): ((row: Row) => StoredProfile) => {
  const record = recordReader(TABLE, columns);
  return (row) => ({
    id: member(row, 'id', isText),
    createdAt: member(row, 'createdAt', isTime),
    updatedAt: member(row, 'updatedAt', isTime),
    attributes: record(member(row, 'values', isText)),
  });
};

/** A profile of a list, with its place in it. @throws WarehouseFault as {@link storedProfile} */
export const listedProfile = (
  columns: readonly ValueColumn[],
): ((row: Row) => StoredProfile & { readonly place: ProfilePlace }) => {
  const stored = storedProfile(columns);
  return (row) => ({ ...stored(row), place: placeOf(member(row, 'place', areTextsOrNull)) });
};

/** What is read of a profile that does not match. */
const LEFT_OUT = '';

/** SQL of what {@link scannedProfile} reads, by names. @param condition that a profile has to fulfil; absent: each matches */
export const scannedSql = (columns: readonly ValueColumn[], condition: string | undefined) => {
  const values = valuesSql(columns);
  return {
    id: '_profile_id::text',
    values:
      condition === undefined
        ? values
        : `CASE WHEN ${condition} THEN ${values} ELSE '${LEFT_OUT}' END`,
  };
};

/** @throws WarehouseFault as {@link storedProfile} */
export const scannedProfile = (columns: readonly ValueColumn[]): ((row: Row) => ScannedProfile) => {
  const record = recordReader(TABLE, columns);
  return (row) => {
    const values = member(row, 'values', isText);
    return {
      id: member(row, 'id', isText),
      attributes: values === LEFT_OUT ? null : record(values),
    };
  };
};
