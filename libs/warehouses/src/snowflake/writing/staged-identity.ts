import { type BoundRow, snowflakeName, snowflakeText } from '@penstock/databases';
import { type Json, writeJson } from '@penstock/schema';
import { IdentityState } from '../../merging/identity-state';
import type { RowForm } from '../../merging/reduce-batch';
import type { IdentityBatch } from '../../platform/warehouse-writer';
import type { ProfileColumn } from '../columns/profile-columns';
import { stagedSql } from '../columns/staged-text';
import { cellOf, momentCell } from '../columns/value-text';
import { OTHERS } from '../merging/merge-identities';
import { wellFormedCell } from '../sql/well-formed';

const NUL = '\u0000';

const isCleanOf = (words: readonly string[]) => (row: BoundRow) =>
  row.every((cell) => cell === null || words.every((word) => !cell.includes(word)));

const cellsOf = (identity: IdentityState, columns: readonly ProfileColumn[]): BoundRow => {
  const { parts } = identity;
  const times = new Map<string, Json>(parts.times);
  if (parts.others !== undefined) times.set(OTHERS, parts.others);
  return [
    parts.recordId,
    String(parts.anonymous),
    writeJson(parts.anonymousIds),
    writeJson(parts.previousIds),
    momentCell(parts.moment),
    writeJson(times),
    writeJson(parts.anonymousTimes),
    ...columns.map(({ type }, place) => cellOf(type, parts.values[place])),
  ].map(wellFormedCell);
};

/** Rows as cells of a staging table: the columns of {@link STAGED} and those of the properties. */
export const CELLS: RowForm<ProfileColumn, BoundRow> = {
  recordRow: (record, columns) =>
    cellsOf(new IdentityState(record.recordId, false, columns, record), columns),
  row: cellsOf,
  // A NUL in JSON is escaped.
  isPossible: isCleanOf([NUL, '\\u0000']),
  hasNul: (row) => !isCleanOf([NUL])(row),
};

/** The columns of {@link CELLS} before those of the properties, with their types. */
const STAGED = [
  { name: '_RECORD_ID', sqlType: 'VARCHAR' },
  { name: '_ANONYMOUS', sqlType: 'BOOLEAN' },
  { name: '_ANONYMOUS_IDS', sqlType: 'ARRAY' },
  { name: '_PREVIOUS_IDS', sqlType: 'ARRAY' },
  { name: '_UPDATED_AT', sqlType: 'TIMESTAMP_TZ(9)' },
  { name: '_PROPERTY_TIMES', sqlType: 'VARIANT' },
  { name: '_ANONYMOUS_TIMES', sqlType: 'VARIANT' },
] as const;

/** The column of the place of a row in its batch. */
export const PLACE = '_PLACE';

/** Names of the columns of a staging table of identities: {@link PLACE}, and those of {@link CELLS}. */
export const stagedNames = (columns: readonly ProfileColumn[]): readonly string[] => [
  PLACE,
  ...[...STAGED, ...columns].map(({ name }) => name),
];

/** Rows of a staging table of identities. */
export interface StagedRange {
  /** The table as SQL. */
  readonly stage: string;
  /** The place of the first row. */
  readonly from: number;
  /** The place behind the last row. */
  readonly to: number;
}

/** SQL of what is merged into the identities. */
export const sourceOf = (
  { pipeline, connection, run }: IdentityBatch,
  columns: readonly ProfileColumn[],
  { stage, from, to }: StagedRange,
): string => {
  const values = [...STAGED, ...columns].map(({ name, sqlType }) => {
    const column = snowflakeName(name);
    return `${stagedSql(sqlType, `c.${column}`)} AS ${column}`;
  });
  const constants = [
    `${snowflakeText(pipeline)} AS "_PIPELINE"`,
    `${snowflakeText(connection)} AS "_CONNECTION"`,
    `${run === undefined ? 'CAST(NULL AS VARCHAR)' : snowflakeText(run.id)} AS "_RUN"`,
  ];
  const place = `CAST(c."${PLACE}" AS NUMBER(38,0))`;
  return `(SELECT ${[...constants, ...values].join(', ')} FROM ${stage} AS c
           WHERE ${place} >= ${String(from)} AND ${place} < ${String(to)})`;
};
