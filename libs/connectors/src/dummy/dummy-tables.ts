import type { Pool, PoolClient } from 'pg';

/** Any number that nothing else locks: the makers of the tables wait for each other. */
const SETUP_LOCK = 4_911_206_337;

const SETUP = `
  CREATE SCHEMA IF NOT EXISTS penstock_dummy;
  CREATE TABLE IF NOT EXISTS penstock_dummy.events (
    connection text NOT NULL,
    sequence bigint GENERATED ALWAYS AS IDENTITY,
    idempotency_key text NOT NULL,
    body text NOT NULL,
    PRIMARY KEY (connection, sequence)
  );
  CREATE TABLE IF NOT EXISTS penstock_dummy.calls (
    connection text NOT NULL,
    operation text NOT NULL,
    count bigint NOT NULL,
    PRIMARY KEY (connection, operation)
  );
  CREATE TABLE IF NOT EXISTS penstock_dummy.users (
    connection text NOT NULL,
    id text NOT NULL,
    sequence bigint GENERATED ALWAYS AS IDENTITY,
    number int,
    updated_at timestamptz NOT NULL,
    record jsonb NOT NULL,
    PRIMARY KEY (connection, id)
  );
  CREATE INDEX IF NOT EXISTS users_sequence ON penstock_dummy.users (connection, sequence);
  CREATE INDEX IF NOT EXISTS users_number ON penstock_dummy.users (connection, number);
  CREATE INDEX IF NOT EXISTS users_email ON penstock_dummy.users (connection, (record ->> 'email'));`;

/**
 * The tables of the test application, made at first use.
 *
 * Every method rejects with the driver's error when the database cannot be reached.
 */
export class DummyTables {
  private ready: Promise<void> | undefined;

  constructor(private readonly pool: Pool) {}

  /** The rows of a statement. */
  async query<Row extends object>(sql: string, values: readonly unknown[]): Promise<Row[]> {
    await this.setUp();
    const { rows } = await this.pool.query<Row>(sql, [...values]);
    return rows;
  }

  /** Does the work in a transaction; another of the same connection waits for its end. */
  async alone<T>(connection: string, work: (client: PoolClient) => Promise<T>): Promise<T> {
    await this.setUp();
    const client = await this.pool.connect();
    try {
      await client.query('BEGIN');
      await client.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [
        LOCK_SPACE,
        connection,
      ]);
      const result = await work(client);
      await client.query('COMMIT');
      client.release();
      return result;
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  private setUp(): Promise<void> {
    this.ready ??= this.makeTables().catch((error: unknown) => {
      this.ready = undefined;
      throw error;
    });
    return this.ready;
  }

  /** Several statements in one simple query are one transaction: the lock holds to its end. */
  private async makeTables(): Promise<void> {
    await this.pool.query(`SELECT pg_advisory_xact_lock(${String(SETUP_LOCK)}); ${SETUP}`);
  }
}

/** First key of the locks of connections: nothing else uses it. */
const LOCK_SPACE = 491_120_634;
