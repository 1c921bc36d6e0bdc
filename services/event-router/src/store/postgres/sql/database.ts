import type { Pool, PoolClient } from 'pg';

/** A process that hangs within a transaction holds up its successors no longer than this. */
const MAX_IDLE_MS = 5_000;

const begin = (mode: string): string =>
  `BEGIN ISOLATION LEVEL ${mode}; SET LOCAL idle_in_transaction_session_timeout = ${MAX_IDLE_MS}`;

/** Statements and transactions on the router's pool. Rejects with what the driver says, as it is. */
export class Database {
  constructor(private readonly pool: Pool) {}

  /** A statement by itself: all of it, or nothing. */
  async rows<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const { rows } = await this.pool.query<Row>(text, [...values]);
    return rows;
  }

  /** All or nothing; a rejection of the COMMIT itself leaves open which of them it was. */
  transaction<T>(work: (db: PoolClient) => Promise<T>): Promise<T> {
    return this.between('READ COMMITTED', 'COMMIT', work);
  }

  /** All of its reads see the same moment. */
  snapshot<T>(work: (db: PoolClient) => Promise<T>): Promise<T> {
    return this.between('REPEATABLE READ READ ONLY', 'COMMIT', work);
  }

  /** Undoes whatever the work has done. */
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
