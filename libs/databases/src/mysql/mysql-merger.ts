import type { RecordValue } from '@penstock/schema';
import type { ResultSetHeader } from 'mysql2';
import { createHash } from 'node:crypto';
import { DatabaseFault } from '../database/database-fault';
import { told } from '../database/told';
import { mergeOn, type MergeTransaction, type RowGroup } from '../merging/merge-batch';
import type { RefusedRow, RowMerge, RowMerger } from '../database/row-merger';
import {
  insertStatement,
  updateStatement,
  upsertStatements,
  weightsStatement,
} from './merge-statement';
import { type MergeTable, mergeTable } from './merge-table';
import { isRefusal } from './mysql-fault';
import type { MysqlTarget } from './mysql-settings';
import type { MysqlSession } from './session';

/** Seconds that a merge waits for another one of the same table. */
const LOCK_S = 30;

/** Refuses values that do not fit, instead of changing them. */
const WRITING = [
  "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,ERROR_FOR_DIVISION_BY_ZERO'",
  'SET SESSION TRANSACTION READ WRITE',
];

/** In a transaction, a process that stands still, or whose machine is gone, holds its locks no longer than these seconds. */
const STANDING_STILL = 'SET SESSION wait_timeout = 5';
const BETWEEN = 'SET SESSION wait_timeout = DEFAULT';

const TOO_LARGE = 'the row is larger than max_allowed_packet of the server';

/** Merges rows into a table of a MySQL. */
export class MysqlMerger implements RowMerger, MergeTransaction {
  /** @throws DatabaseFault TableNotExist, InvalidSettings, Unreachable, Refused. The session is closed then. */
  static async open(
    session: MysqlSession,
    { database, password }: MysqlTarget,
    merge: RowMerge,
  ): Promise<MysqlMerger> {
    try {
      const table = await mergeTable(session, database, merge);
      await session.run('ROLLBACK');
      for (const statement of WRITING) await session.run(statement);
      return new MysqlMerger(session, table, password);
    } catch (error) {
      await session.close();
      throw session.faultOf(error);
    }
  }

  /** Of merges that find the rows of a key by themselves, which come one after the other. */
  private readonly lock: string;

  private constructor(
    private readonly session: MysqlSession,
    private readonly table: MergeTable,
    private readonly password: string,
  ) {
    const digest = createHash('sha1').update(table.place).digest('hex');
    this.lock = `'penstock ${digest}'`;
  }

  merge(rows: readonly RecordValue[], check?: () => Promise<void>): Promise<readonly RefusedRow[]> {
    return mergeOn(this.session, this, this.table, rows, check);
  }

  async equalTexts(keys: readonly string[]): Promise<readonly string[]> {
    if (this.table.key.type.kind !== 'string' || keys.length === 0) return keys;
    try {
      const rows = await this.session.rows(weightsStatement(this.table, keys));
      return rows.map(([weights = null], index) => String(weights ?? keys[index]));
    } catch (error) {
      await this.session.close(true);
      throw this.session.faultOf(error);
    }
  }

  async begin(): Promise<void> {
    await this.session.run(STANDING_STILL);
    if (!this.table.isUnique) await this.waitForTurn();
    await this.session.run('START TRANSACTION READ WRITE');
  }

  async attempt(group: RowGroup): Promise<string | undefined> {
    await this.session.run('SAVEPOINT attempt');
    try {
      if (this.table.isUnique) await this.upsert(group);
      else await this.updateOrInsert(group);
      return undefined;
    } catch (error) {
      const refusal = this.refusalIn(error);
      if (refusal === undefined) throw error;
      await this.session.run('ROLLBACK TO SAVEPOINT attempt');
      return refusal;
    }
  }

  async commit(): Promise<void> {
    await this.end('COMMIT');
  }

  async rollback(): Promise<void> {
    await this.end('ROLLBACK');
  }

  async close(): Promise<void> {
    await this.session.close();
  }

  private async waitForTurn(): Promise<void> {
    const [[got] = []] = await this.session.rows(
      `SELECT GET_LOCK(${this.lock}, ${String(LOCK_S)})`,
    );
    if (Number(got) !== 1)
      throw new DatabaseFault('Unreachable', 'others are merging into the table');
  }

  private async end(statement: string): Promise<void> {
    await this.session.run(statement);
    if (!this.table.isUnique) await this.session.rows(`SELECT RELEASE_LOCK(${this.lock})`);
    await this.session.run(BETWEEN);
  }

  private refusalIn(error: unknown): string | undefined {
    if (error instanceof RangeError) return error.message;
    return isRefusal(error) ? told(error.sqlMessage, this.password) : undefined;
  }

  private async upsert(group: RowGroup): Promise<void> {
    for (const statement of upsertStatements(this.table, group)) await this.send(statement);
  }

  private async updateOrInsert({ columns, rows }: RowGroup): Promise<void> {
    for (const { values } of rows) {
      const result = await this.send(updateStatement(this.table, columns, values));
      const isThere = Array.isArray(result)
        ? result.length > 0
        : !(result as ResultSetHeader).info.startsWith('Rows matched: 0 ');
      if (!isThere) await this.send(insertStatement(this.table, columns, values));
    }
  }

  private send(statement: string): Promise<unknown> {
    if (Buffer.byteLength(statement) > this.table.maxPacket) throw new RangeError(TOO_LARGE);
    return this.session.run(statement);
  }
}
