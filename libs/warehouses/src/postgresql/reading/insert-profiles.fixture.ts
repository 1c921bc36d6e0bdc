import type { RecordValue, Type, Value } from '@penstock/schema';
import { escapeLiteral } from 'pg';
import { COLUMNS, profileId } from '../../platform/profiles.fixture';
import { valueAt } from '../../profiles/value-columns';
import { columnText } from '../columns/copy-text';
import { list } from '../sql/names';
import { SCHEMA } from '../stage.fixture';

const sqlOf = (type: Type, value: Value | undefined): string =>
  value === undefined ? 'NULL' : escapeLiteral(columnText(type, value));

/** Statement that writes profiles, the first with {@link profileId} 0, each updated a microsecond after the one before. */
export const insertProfiles = (records: readonly RecordValue[]): string => {
  const rows = records.map((record, at) => {
    const values = COLUMNS.map(({ path, type }) => sqlOf(type, valueAt(record, path)));
    const time = `'2026-03-01T09:30Z'::timestamptz + ${at} * interval '1 microsecond'`;
    return `('${profileId(at)}', '2026-03-01T09:00Z', ${[time, ...values].join(', ')})`;
  });
  const names = ['_profile_id', '_created_at', '_updated_at', ...COLUMNS.map(({ name }) => name)];
  return `INSERT INTO ${SCHEMA}._profiles (${list(names)}) VALUES ${rows.join(', ')}`;
};
