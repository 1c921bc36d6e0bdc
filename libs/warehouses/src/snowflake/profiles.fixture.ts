import { snowflakeText } from '@penstock/databases';
import type { RecordValue } from '@penstock/schema';
import { profileId, PROFILES } from '../platform/profiles.fixture';
import { valueAt } from '../profiles/value-columns';
import { profileColumns } from './columns/profile-columns';
import { stagedSql, stagedText } from './columns/staged-text';
import { list } from './sql/names';

/** The columns of {@link PROFILES}. */
export const COLUMNS = profileColumns(PROFILES.schema);

/** Digits of the fractions of seconds that the stand-in keeps. */
export const MICROSECONDS = 6;

/**
 * Statement that writes profiles, the first with {@link profileId} 0, each updated a microsecond after the one before.
 *
 * @param table as SQL.
 */
export const insertProfiles = (table: string, records: readonly RecordValue[]): string => {
  const rows = records.map((record, at) => {
    const values = COLUMNS.map(({ path, type, sqlType }) => {
      const value = valueAt(record, path) ?? null;
      return value === null ? 'NULL' : stagedSql(sqlType, snowflakeText(stagedText(type, value)));
    });
    const moment = (text: string) => `CAST('2026-03-01 ${text} +00:00' AS TIMESTAMP_TZ(9))`;
    const updated = `09:30:00.${String(at).padStart(MICROSECONDS, '0')}`;
    const own = [`'${profileId(at)}'`, moment('09:00:00'), moment(updated), '1'];
    return `SELECT ${[...own, ...values].join(', ')}`;
  });
  const names = ['_PROFILE_ID', '_CREATED_AT', '_UPDATED_AT', '_IDENTITIES'];
  const all = [...names, ...COLUMNS.map(({ name }) => name)];
  return `INSERT INTO ${table} (${list(all)}) ${rows.join(' UNION ALL ')}`;
};
