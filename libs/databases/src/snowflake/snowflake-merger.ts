import type { RecordValue } from '@penstock/schema';
import type { RefusedRow, RowMerge, RowMerger } from '../database/row-merger';
import { told } from '../database/told';
import { mergeOn, type MergeTransaction, type RowGroup } from '../merging/merge-batch';
import { mergeStatement, stageStatements } from './merge-statement';
import { createStage, type MergeTable, mergeTable } from './merge-table';
import type { SnowflakeSession } from './session';
import { isRefusal } from './snowflake-fault';
import type { SnowflakeTarget } from './snowflake-settings';

/**
 * Merges rows into a table of a Snowflake: they are staged in a table of the session by array binds, and merged from
 * there. A statement that fails leaves nothing of itself, and the transaction goes on. Source: Snowflake,
 * "Transactions".
 */
export class SnowflakeMerger implements RowMerger, MergeTransaction {
  /** @throws DatabaseFault TableNotExist, InvalidSettings, Unreachable, Refused. The session is closed then. */
  static async open(
    session: SnowflakeSession,
    { password }: SnowflakeTarget,
    merge: RowMerge,
  ): Promise<SnowflakeMerger> {
    try {
      const table = await mergeTable(session, merge);
      // Outside transactions: it would commit them.
      await session.rows(createStage(table));
      return new SnowflakeMerger(session, table, password);
    } catch (error) {
      await session.close();
      throw session.faultOf(error);
    }
  }

  private constructor(
    private readonly session: SnowflakeSession,
    private readonly table: MergeTable,
    private readonly password: string,
  ) {}

  merge(rows: readonly RecordValue[], check?: () => Promise<void>): Promise<readonly RefusedRow[]> {
    return mergeOn(this.session, this, this.table, rows, check);
  }

  async begin(): Promise<void> {
    await this.session.rows('BEGIN');
  }

  async attempt(group: RowGroup): Promise<string | undefined> {
    await this.session.rows(`DELETE FROM ${this.table.stage}`);
    try {
      for (const { text, binds } of stageStatements(this.table, group))
        await this.session.rows(text, binds);
      await this.session.rows(mergeStatement(this.table, group));
      return undefined;
    } catch (error) {
      if (isRefusal(error)) return told(error.message, this.password);
      throw error;
    }
  }

  async commit(): Promise<void> {
    await this.session.rows('COMMIT');
  }

  async rollback(): Promise<void> {
    await this.session.rows('ROLLBACK');
  }

  async close(): Promise<void> {
    await this.session.close();
  }
}
