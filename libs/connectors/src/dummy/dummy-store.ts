import type { Pool } from 'pg';
import type { DummyOperation } from './failures-form';

/** How many events of each connection are kept. */
export const KEPT_EVENTS = 1_000;

/** An event that the test application accepted. */
export interface KeptEvent {
  readonly idempotencyKey: string;
  /** JSON text, as it would have been posted. */
  readonly body: string;
}

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
  );`;

const KEEP = `
  INSERT INTO penstock_dummy.events (connection, idempotency_key, body)
  SELECT $1, idempotency_key, body
  FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS entry (idempotency_key, body, position)
  ORDER BY position`;

const TRIM = `
  DELETE FROM penstock_dummy.events
  WHERE connection = $1 AND sequence <= (
    SELECT sequence FROM penstock_dummy.events
    WHERE connection = $1 ORDER BY sequence DESC OFFSET ${String(KEPT_EVENTS)} LIMIT 1)`;

const LIST = `
  SELECT idempotency_key AS "idempotencyKey", body FROM (
    SELECT sequence, idempotency_key, body FROM penstock_dummy.events
    WHERE connection = $1 ORDER BY sequence DESC LIMIT ${String(KEPT_EVENTS)}) AS newest
  ORDER BY sequence`;

const NEXT_CALL = `
  INSERT INTO penstock_dummy.calls AS known (connection, operation, count) VALUES ($1, $2, 1)
  ON CONFLICT (connection, operation) DO UPDATE SET count = known.count + 1
  RETURNING count::int`;

/**
 * What the connections of the test application have taken, in PostgreSQL: every process sees the same, after
 * any crash. Its tables are made at first use.
 *
 * Every method rejects with the driver's error when the database cannot be reached.
 */
export class DummyStore {
  private ready: Promise<void> | undefined;
  /** Events added by this process since it last deleted what is too many; absent: it never did. */
  private readonly untrimmed = new Map<string, number>();

  constructor(private readonly pool: Pool) {}

  /** Adds events at the end. At most a few thousand more than {@link KEPT_EVENTS} are ever stored. */
  async keep(connection: string, entries: readonly KeptEvent[]): Promise<void> {
    await this.setUp();
    const keys = entries.map(({ idempotencyKey }) => idempotencyKey);
    const bodies = entries.map(({ body }) => body);
    await this.pool.query(KEEP, [connection, keys, bodies]);
    const untrimmed = (this.untrimmed.get(connection) ?? KEPT_EVENTS) + entries.length;
    this.untrimmed.set(connection, untrimmed % KEPT_EVENTS);
    if (untrimmed >= KEPT_EVENTS) await this.pool.query(TRIM, [connection]);
  }

  /** @returns the last {@link KEPT_EVENTS}, oldest first. */
  async list(connection: string): Promise<KeptEvent[]> {
    await this.setUp();
    const { rows } = await this.pool.query<KeptEvent>(LIST, [connection]);
    return rows;
  }

  /** @returns the number of this call among those of the operation, from 1; no two calls get the same. */
  async nextCall(connection: string, operation: DummyOperation): Promise<number> {
    await this.setUp();
    const { rows } = await this.pool.query<{ count: number }>(NEXT_CALL, [connection, operation]);
    return Number(rows[0]?.count);
  }

  /** Forgets everything about a connection. */
  async drop(connection: string): Promise<void> {
    await this.setUp();
    this.untrimmed.delete(connection);
    await this.pool.query('DELETE FROM penstock_dummy.events WHERE connection = $1', [connection]);
    await this.pool.query('DELETE FROM penstock_dummy.calls WHERE connection = $1', [connection]);
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
