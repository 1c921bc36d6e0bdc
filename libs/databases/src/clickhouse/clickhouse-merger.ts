import type { RecordValue } from '@penstock/schema';
import { DatabaseFault } from '../database/database-fault';
import { told } from '../database/told';
import { type PlacedRow, sortedOut } from '../merging/merge-batch';
import { type MergedColumns, mergedColumns } from '../merging/merged-columns';
import type { RefusedRow, RowMerge, RowMerger } from '../database/row-merger';
import { type CatalogueTable, tableNamed } from './catalogue';
import { isRefusal } from './clickhouse-fault';
import { clickhouseName } from './clickhouse-literal';
import { clickhouseCounterpart } from './column-types';
import { lineOf, outOfRange } from './insert-text';
import type { ClickhouseSession } from './session';

/** How the server says which row it refuses, from 1. */
const AT_ROW = /\bat row (\d+)|\bRow (\d+):/;

const NOT_REPLACING =
  'the table must be of the ReplacingMergeTree family, with the key alone as its order key';

/**
 * Inserts rows into a table of a ClickHouse that keeps the last row of each key. A batch is one block: all of it is
 * inserted or nothing, unless the table is partitioned.
 */
export class ClickhouseMerger implements RowMerger {
  /** @throws DatabaseFault TableNotExist, InvalidSettings, Unreachable, Refused */
  static async open(session: ClickhouseSession, merge: RowMerge): Promise<ClickhouseMerger> {
    try {
      const table = await tableNamed(session, merge.table);
      const columns = mergedColumns(
        merge,
        table.columns
          .filter(({ isComputed }) => !isComputed)
          .map(({ name, type }) => ({ name, ...clickhouseCounterpart(type, session.written) })),
      );
      const [first, ...rest] = table.replacesBy ?? [];
      if (first !== columns.key.name || rest.length > 0)
        throw new DatabaseFault('InvalidSettings', NOT_REPLACING);
      return new ClickhouseMerger(session, merge.table, table, columns);
    } catch (error) {
      throw session.faultOf(error);
    }
  }

  private readonly statement: string;
  private readonly types: ReadonlyMap<string, string>;

  private constructor(
    private readonly session: ClickhouseSession,
    table: string,
    { columns: all }: CatalogueTable,
    private readonly columns: MergedColumns,
  ) {
    const place = `${clickhouseName(session.target.database)}.${clickhouseName(table)}`;
    const names = columns.columns.map(({ name }) => clickhouseName(name));
    this.statement = `INSERT INTO ${place} (${names.join(', ')}) FORMAT JSONEachRow\n`;
    this.types = new Map(all.map(({ name, type }) => [name, type]));
  }

  async merge(
    rows: readonly RecordValue[],
    check: () => Promise<void> = () => Promise.resolve(),
  ): Promise<readonly RefusedRow[]> {
    const { good, refused } = sortedOut(this.columns, rows);
    const late = good.flatMap((each) => this.rangeProblem(each));
    const all = [...refused, ...late].sort((one, other) => one.row - other.row);
    if (all.length > 0 || good.length === 0) return all;
    await check();
    try {
      const lines = good.map((each) => lineOf(this.columns.columns, each));
      await this.session.write(Buffer.from(this.statement + lines.join('')));
      return [];
    } catch (error) {
      if (!isRefusal(error)) throw this.session.faultOf(error);
      return this.refusedBy(told(error.message, this.session.target.password), good);
    }
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  private rangeProblem({ row, values }: PlacedRow): readonly RefusedRow[] {
    for (const { property, name } of this.columns.columns) {
      const problem = outOfRange(this.types.get(name) ?? '', values[property] ?? null);
      if (problem !== undefined) return [{ row, reason: `${property} ${problem}` }];
    }
    return [];
  }

  /** Where the server does not say which row it refuses, it refuses all. */
  private refusedBy(reason: string, rows: readonly PlacedRow[]): readonly RefusedRow[] {
    const [, row, other] = AT_ROW.exec(reason) ?? [];
    const found = rows[Number(row ?? other) - 1];
    return (found === undefined ? rows : [found]).map((each) => ({ row: each.row, reason }));
  }
}
