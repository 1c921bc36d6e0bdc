import { type Json, writeJson } from '@penstock/schema';
import { type IdentityState, momentText, stampOf } from '../../merging/identity-state';
import type { RowForm } from '../../merging/reduce-batch';
import type { ImportedRecord } from '../../platform/warehouse-writer';
import { valueAt } from '../../profiles/value-columns';
import { arrayText, copyText } from '../columns/copy-text';
import { fieldText } from '../columns/field-text';
import type { ProfileColumn } from '../columns/profile-columns';
import { OTHERS } from '../merging/merge-identities';

/** The row of an identity of which the batch has one record, as nearly all are: the same as by {@link copyRow}. */
const recordRow = (record: ImportedRecord, columns: readonly ProfileColumn[]): string => {
  const moment = momentText(record.updatedAtUs);
  const times = copyText(`{"${OTHERS}":${JSON.stringify(stampOf(record))}}`);
  let row = `${copyText(record.recordId)}\tf\t{}\t{}\t${moment}\t${times}\t{}`;
  for (const column of columns)
    row += `\t${fieldText(column, valueAt(record.values, column.path))}`;
  return `${row}\n`;
};

/** The row, as COPY reads it: the columns of {@link STAGED} and those of the properties. */
export const copyRow = (identity: IdentityState, columns: readonly ProfileColumn[]): string => {
  const { parts } = identity;
  const times = new Map<string, Json>(parts.times);
  if (parts.others !== undefined) times.set(OTHERS, parts.others);
  const own = [
    parts.recordId,
    parts.anonymous ? 't' : 'f',
    arrayText(parts.anonymousIds),
    arrayText(parts.previousIds),
    parts.moment,
    writeJson(times),
    writeJson(parts.anonymousTimes),
  ];
  const fields = columns.map((column, place) => fieldText(column, parts.values[place]));
  return `${[...own.map(copyText), ...fields].join('\t')}\n`;
};

const NUL = '\u0000';

/** Rows as COPY reads them. */
export const COPY_FORM: RowForm<ProfileColumn, string> = {
  recordRow,
  row: copyRow,
  // A NUL in JSON is escaped.
  isPossible: (row) => !row.includes(NUL) && !row.includes('\\u0000'),
  hasNul: (row) => row.includes(NUL),
};

/** The columns of {@link copyRow} before those of the properties, with their types. */
export const STAGED = [
  { name: '_record_id', sqlType: 'text' },
  { name: '_anonymous', sqlType: 'boolean' },
  { name: '_anonymous_ids', sqlType: 'text[]' },
  { name: '_previous_ids', sqlType: 'text[]' },
  { name: '_updated_at', sqlType: 'timestamptz' },
  { name: '_property_times', sqlType: 'jsonb' },
  { name: '_anonymous_times', sqlType: 'jsonb' },
] as const;
