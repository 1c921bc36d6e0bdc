import { type RecordValue, textOf } from '@penstock/schema';
import { withCutTimes } from './cut-times';
import { type MergedColumn, type MergedColumns, problemOfRow } from './merged-columns';
import type { DatabaseFault } from '../database/database-fault';
import type { RefusedRow } from '../database/row-merger';

/** A row and its place in the batch. */
export interface PlacedRow {
  readonly row: number;
  readonly values: RecordValue;
}

/** Rows with the same properties and different keys, which one statement can write. */
export interface RowGroup {
  /** The columns that all rows have. */
  readonly columns: readonly MergedColumn[];
  readonly rows: readonly PlacedRow[];
}

/** One transaction of a database. */
export interface MergeTransaction {
  begin(): Promise<void>;
  /**
   * Writes all rows of a group, or none.
   *
   * @returns why the server refuses; undefined: they are written. @throws for everything else.
   */
  attempt(group: RowGroup): Promise<string | undefined>;
  commit(): Promise<void>;
  rollback(): Promise<void>;
}

/** Which of the columns a row has. */
const shapeOf = (columns: readonly MergedColumn[], values: RecordValue): string => {
  let shape = '';
  for (const { property } of columns) shape += values[property] === undefined ? '0' : '1';
  return shape;
};

/**
 * Divides a batch into groups, in an order in which the last row of a key is written last. Rows of a group are in the
 * order of their keys, so that batches at the same time wait for each other instead of blocking each other.
 */
const groupsOf = (
  { key, columns }: MergedColumns,
  rows: readonly PlacedRow[],
): readonly RowGroup[] => {
  const seen = new Map<string, number>();
  const rounds: Map<string, { columns: readonly MergedColumn[]; rows: PlacedRow[] }>[] = [];
  const byKey = rows
    .map((each) => ({ each, id: textOf(key.type, each.values[key.property] ?? null) }))
    .sort((one, other) => (one.id < other.id ? -1 : Number(one.id > other.id)));
  for (const { each, id } of byKey) {
    const round = seen.get(id) ?? 0;
    seen.set(id, round + 1);
    const groups = (rounds[round] ??= new Map());
    const shape = shapeOf(columns, each.values);
    const group = groups.get(shape) ?? {
      columns: columns.filter((_, index) => shape[index] === '1'),
      rows: [],
    };
    group.rows.push(each);
    groups.set(shape, group);
  }
  return rounds.flatMap((groups) => Array.from(groups.values()));
};

/** Writes a group, or finds the rows that are refused by themselves, in halves. */
const attemptHalves = async (
  transaction: MergeTransaction,
  group: RowGroup,
): Promise<readonly RefusedRow[]> => {
  const reason = await transaction.attempt(group);
  if (reason === undefined) return [];
  const { columns, rows } = group;
  const [first] = rows;
  if (rows.length === 1 && first !== undefined) return [{ row: first.row, reason }];
  const middle = Math.ceil(rows.length / 2);
  const before = await attemptHalves(transaction, { columns, rows: rows.slice(0, middle) });
  const behind = await attemptHalves(transaction, { columns, rows: rows.slice(middle) });
  return [...before, ...behind];
};

/** The rows of a batch that have the types of their columns, as fine as those keep times, and those that do not. */
export const sortedOut = (
  columns: MergedColumns,
  rows: readonly RecordValue[],
): { readonly good: readonly PlacedRow[]; readonly refused: readonly RefusedRow[] } => {
  const good: PlacedRow[] = [];
  const refused: RefusedRow[] = [];
  for (const [row, values] of rows.entries()) {
    const reason = problemOfRow(columns, values);
    if (reason === undefined) good.push({ row, values: withCutTimes(columns.columns, values) });
    else refused.push({ row, reason });
  }
  return { good, refused };
};

/**
 * Merges a batch within one transaction, which is committed only when no row is refused.
 *
 * @param check is called when the rows are locked; what it throws is thrown.
 * @returns all rows that are refused, in order.
 */
const mergeBatch = async (
  transaction: MergeTransaction,
  columns: MergedColumns,
  rows: readonly RecordValue[],
  check: () => Promise<void> = () => Promise.resolve(),
): Promise<readonly RefusedRow[]> => {
  if (rows.length === 0) return [];
  const { good, refused: bad } = sortedOut(columns, rows);
  const refused = [...bad];
  await transaction.begin();
  for (const group of groupsOf(columns, good))
    refused.push(...(await attemptHalves(transaction, group)));
  if (refused.length === 0) {
    await check();
    await transaction.commit();
  } else await transaction.rollback();
  return refused.sort((one, other) => one.row - other.row);
};

/** The session that a merger has for itself. */
interface MergeSession {
  /** @param isBusy a statement may still be running. */
  close(isBusy: boolean): Promise<void>;
  faultOf(error: unknown): DatabaseFault;
}

/** As {@link mergeBatch}, on a session that is closed when that fails. @throws DatabaseFault */
export const mergeOn = async (
  session: MergeSession,
  ...batch: Parameters<typeof mergeBatch>
): Promise<readonly RefusedRow[]> => {
  try {
    return await mergeBatch(...batch);
  } catch (error) {
    await session.close(true);
    throw session.faultOf(error);
  }
};
