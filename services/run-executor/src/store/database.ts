import type { Pool, PoolClient } from 'pg';

/**
 * Longest time that a process which hangs within a transaction can block others: what it holds must be free well before a
 * run is to be resumed.
 */
const MAX_IDLE_MS = 2_000;

/** Statements and transactions on the pool. Rejects with the driver's errors, unchanged. */
export class Database {
  constructor(private readonly pool: Pool) {}

  /** Runs one statement in a transaction of its own. */
  async rows<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const { rows } = await this.pool.query<Row>(text, [...values]);
    return rows;
  }

  /** As {@link rows}. @returns how many rows it has changed. */
  async change(text: string, values: readonly unknown[]): Promise<number> {
    const { rowCount } = await this.pool.query(text, [...values]);
    return rowCount ?? 0;
  }

  /**
   * Runs the work in a transaction. When the COMMIT itself is rejected, its outcome is not known.
   *
   * @param maxIdleMs the longest time between two of its statements.
   */
  async transaction<T>(work: (db: PoolClient) => Promise<T>, maxIdleMs = MAX_IDLE_MS): Promise<T> {
    const db = await this.pool.connect();
    let failure: Error | undefined;
    try {
      await db.query(`BEGIN; SET LOCAL idle_in_transaction_session_timeout = ${String(maxIdleMs)}`);
      const result = await work(db);
      await db.query('COMMIT');
      return result;
    } catch (error) {
      await db.query('ROLLBACK').catch((cause: unknown) => {
        failure = cause instanceof Error ? cause : new Error(String(cause));
      });
      throw error;
    } finally {
      db.release(failure);
    }
  }
}
