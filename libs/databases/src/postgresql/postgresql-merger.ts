import type { RecordValue } from '@penstock/schema';
import { DatabaseError } from 'pg';
import { told } from '../database/told';
import { mergeOn, type MergeTransaction, type RowGroup } from '../merging/merge-batch';
import type { RefusedRow, RowMerge, RowMerger } from '../database/row-merger';
import { mergeStatement } from './merge-statement';
import { type MergeTable, mergeTable } from './merge-table';
import { writeFaultOf } from './postgresql-fault';
import type { PostgresqlTarget } from './postgresql-settings';
import type { PostgresqlSession } from './session';

/** Merges that find the rows of a key by themselves come one after the other. */
const ALONE = "SELECT pg_advisory_xact_lock(hashtextextended('penstock merges into ' || $1, 0))";

/** Merges rows into a table of a PostgreSQL. */
export class PostgresqlMerger implements RowMerger, MergeTransaction {
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
    await this.session.begin('READ WRITE');
    if (!this.table.isUnique) await this.session.client.query(ALONE, [this.table.place]);
  }

  async attempt(group: RowGroup): Promise<string | undefined> {
    const { client } = this.session;
    const { text, values } = mergeStatement(this.table, group);
    await client.query('SAVEPOINT attempt');
    try {
      await client.query(text, [...values]);
      // At the commit it would not be known which row breaks a constraint.
      await client.query('SET CONSTRAINTS ALL IMMEDIATE; RELEASE SAVEPOINT attempt');
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error;
      const fault = writeFaultOf(error, this.password);
      if (fault !== undefined) throw fault;
      await client.query('ROLLBACK TO SAVEPOINT attempt');
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
