import type { StoredEvent } from '../../platform/event-reads';
import type { ValueColumn } from '../../profiles/value-columns';
import { recordReader, valuesSql } from './column-values';
import { placeOf } from './places';
import { areTextsOrNull, isText, isTextOrNull, memberOf, type Row } from './rows';

const TABLE = '_events';

const member = memberOf(TABLE);

/** SQL of what {@link storedEvent} reads, by names. */
export const eventSql = (columns: readonly ValueColumn[]) => ({
  profile: 'profile_id::text',
  values: valuesSql(columns),
});

/** @throws WarehouseFault `unusable` for a row that no writer has written. */
export const storedEvent = (columns: readonly ValueColumn[]): ((row: Row) => StoredEvent) => {
  const record = recordReader(TABLE, columns);
  return (row) => ({
    place: placeOf(member(row, 'place', areTextsOrNull)),
    profile: member(row, 'profile', isTextOrNull),
    event: record(member(row, 'values', isText)),
  });
};
