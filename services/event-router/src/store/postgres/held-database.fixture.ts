import type { PoolClient } from 'pg';
import { Database } from './sql/database';

/** A database whose transactions, single statements too, stop before COMMIT until `commit` or `rollBack` is called. */
export class HeldDatabase extends Database {
  private arrive: () => void = () => undefined;
  private end: (failure: Error | null) => void = () => undefined;
  private readonly ended = new Promise<Error | null>((resolve) => (this.end = resolve));
  /** Resolves when a transaction has stopped before its COMMIT. */
  readonly held = new Promise<void>((resolve) => (this.arrive = resolve));

  override rows<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.transaction(async (db) => (await db.query<Row>(text, [...values])).rows);
  }

  override transaction<T>(work: (db: PoolClient) => Promise<T>): Promise<T> {
    return super.transaction(async (db) => {
      const result = await work(db);
      this.arrive();
      const failure = await this.ended;
      if (failure !== null) throw failure;
      return result;
    });
  }

  commit(): void {
    this.end(null);
  }

  rollBack(): void {
    this.end(new Error('rolled back by the test'));
  }
}
