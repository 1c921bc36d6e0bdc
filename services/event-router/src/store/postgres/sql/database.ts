import type { Pool, PoolClient } from 'pg';

/** Longest time that a process which hangs within a transaction can block others. */
const MAX_IDLE_MS = 5_000;

const begin = (mode: string): string =>
  `BEGIN ISOLATION LEVEL ${mode}; SET LOCAL idle_in_transaction_session_timeout = ${MAX_IDLE_MS}`;

/** Statements and transactions on the router's pool. Rejects with the driver's errors, unchanged. */
export class Database {
  constructor(private readonly pool: Pool) {}

  /** Runs one statement in a transaction of its own. */
  async rows<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const { rows } = await this.pool.query<Row>(text, [...values]);
    return rows;
  }

  /** Runs the work in a transaction. When the COMMIT itself is rejected, its outcome is not known. */
  transaction<T>(work: (db: PoolClient) => Promise<T>): Promise<T> {
    return this.between('READ COMMITTED', 'COMMIT', work);
  }

  /** Runs the work in a read-only transaction on one snapshot. */
  snapshot<T>(work: (db: PoolClient) => Promise<T>): Promise<T> {
    return this.between('REPEATABLE READ READ ONLY', 'COMMIT', work);
  }

  /** Runs the work in a transaction that is always rolled back. */
  rehearsal<T>(work: (db: PoolClient) => Promise<T>): Promise<T> {
    return this.between('READ COMMITTED', 'ROLLBACK', work);
  }

  private async between<T>(
    mode: string,
    end: 'COMMIT' | 'ROLLBACK',
    work: (db: PoolClient) => Promise<T>,
  ): Promise<T> {
    const db = await this.pool.connect();
    let failure: Error | undefined;
    try {
      await db.query(begin(mode));
      const result = await work(db);
      await db.query(end);
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
