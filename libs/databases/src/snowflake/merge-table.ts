import { randomUUID } from 'node:crypto';
import { DatabaseFault } from '../database/database-fault';
import type { RowMerge } from '../database/row-merger';
import { type MergedColumn, type MergedColumns, mergedColumns } from '../merging/merged-columns';
import { catalogueTable } from './catalogue';
import type { SnowflakeSession } from './session';

/** A table that rows are merged into. */
export interface MergeTable extends MergedColumns {
  /** Quoted, with its database and schema. */
  readonly place: string;
  /** Of the session's own table that rows are staged in, as texts. */
  readonly stage: string;
  /** The type of a column in words that a cast takes. */
  readonly castOf: (column: MergedColumn) => string;
}

/**
 * Finds the table of a merge and its columns.
 *
 * @throws DatabaseFault TableNotExist, InvalidSettings; else what the driver throws.
 */
export const mergeTable = async (
  session: SnowflakeSession,
  merge: RowMerge,
): Promise<MergeTable> => {
  const table = await catalogueTable(session, merge.table);
  if (table === undefined)
    throw new DatabaseFault(
      'TableNotExist',
      `there is no such table in the schema ${session.schema}`,
    );
  const casts = new Map(table.columns.map(({ name, cast }) => [name, cast]));
  const stage = `PENSTOCK_STAGE_${randomUUID().replaceAll('-', '').toUpperCase()}`;
  return {
    ...mergedColumns(merge, table.columns),
    place: table.place,
    stage,
    castOf: ({ name }) => casts.get(name) ?? '',
  };
};

/** Creates the table that rows are staged in, which is the session's own and ends with it. */
export const createStage = ({ stage, columns }: MergeTable): string => {
  const staged = columns.map((_, index) => `C${String(index)} VARCHAR`);
  return `CREATE TEMPORARY TABLE ${stage} (${staged.join(', ')})`;
};
