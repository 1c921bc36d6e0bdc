import type { RecordValue } from '@penstock/schema';
import { DatabaseError, escapeLiteral } from 'pg';
import { told } from '../database/told';
import { mergeOn, type MergeTransaction, type RowGroup } from '../merging/merge-batch';
import type { RefusedRow, RowMerge, RowMerger } from '../database/row-merger';
import { mergeStatement } from './merge-statement';
import { type MergeTable, mergeTable } from './merge-table';
import { writeFaultOf } from './postgresql-fault';
import type { PostgresqlTarget } from './postgresql-settings';
import type { PostgresqlSession } from './session';

/** Merges that find the rows of a key by themselves come one after the other. */
const alone = (place: string): string =>
  `SELECT pg_advisory_xact_lock(hashtextextended(${escapeLiteral(`penstock merges into ${place}`)}, 0))`;

/** Constraints are checked by each statement: at the commit it would not be known which row breaks one. */
const IMMEDIATE = 'SET CONSTRAINTS ALL IMMEDIATE';

/** Every attempt begins at the savepoint. */
const SAVEPOINT = 'SAVEPOINT attempt';

/** What it means that the server counts fewer rows than it was given. */
const LEFT_OUT = 'the server has not written the row: a trigger of the table leaves it out';

/** Merges rows into a table of a PostgreSQL. */
export class PostgresqlMerger implements RowMerger, MergeTransaction {
  /** Whether something was written since the savepoint. */
  private isWritten = false;

  /** @throws DatabaseFault TableNotExist, InvalidSettings, Unreachable, Refused. The session is closed then. */
  static async open(
    session: PostgresqlSession,
    { schema, password }: PostgresqlTarget,
    merge: RowMerge,
  ): Promise<PostgresqlMerger> {
    try {
      const table = await mergeTable(session.client, schema, merge);
      await session.client.query('COMMIT');
      return new PostgresqlMerger(session, table, password);
    } catch (error) {
      await session.close();
      throw session.faultOf(error);
    }
  }

  private constructor(
    private readonly session: PostgresqlSession,
    private readonly table: MergeTable,
    private readonly password: string,
  ) {}

  merge(rows: readonly RecordValue[], check?: () => Promise<void>): Promise<readonly RefusedRow[]> {
    return mergeOn(this.session, this, this.table, rows, check);
  }

  async begin(): Promise<void> {
    const { isUnique, place } = this.table;
    const locked = isUnique ? [] : [alone(place)];
    await this.session.begin('READ WRITE', ...locked, IMMEDIATE, SAVEPOINT);
    this.isWritten = false;
  }

  async attempt(group: RowGroup): Promise<string | undefined> {
    const { client } = this.session;
    const { text, values, countsAll } = mergeStatement(this.table, group);
    if (this.isWritten) await client.query(`RELEASE ${SAVEPOINT}; ${SAVEPOINT}`);
    this.isWritten = false;
    try {
      const { rowCount } = await client.query(text, [...values]);
      if (countsAll && rowCount !== group.rows.length) {
        await client.query(`ROLLBACK TO ${SAVEPOINT}`);
        return LEFT_OUT;
      }
      this.isWritten = true;
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error;
      const fault = writeFaultOf(error, this.password);
      if (fault !== undefined) throw fault;
      await client.query(`ROLLBACK TO ${SAVEPOINT}`);
      return told(error.message, this.password);
    }
    return undefined;
  }

  async commit(): Promise<void> {
    await this.session.client.query('COMMIT');
  }

  async rollback(): Promise<void> {
    await this.session.client.query('ROLLBACK');
  }

  async close(): Promise<void> {
    await this.session.close();
  }
}
