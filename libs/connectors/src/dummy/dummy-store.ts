import type { Pool } from 'pg';
import { DummyTables } from './dummy-tables';
import { DummyUserStore, type KeptUsers } from './dummy-user-store';
import type { DummyOperation } from './failures-form';

/** How many events of each connection are kept. */
export const KEPT_EVENTS = 1_000;

/** An event that the test application accepted. */
export interface KeptEvent {
  readonly idempotencyKey: string;
  /** JSON text, as it would have been posted. */
  readonly body: string;
}

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
  /** Users that were created or changed. */
  readonly users: DummyUserStore;
  private readonly tables: DummyTables;
  /** Events added by this process since it last deleted what is too many; absent: it never did. */
  private readonly untrimmed = new Map<string, number>();

  constructor(pool: Pool) {
    this.tables = new DummyTables(pool);
    this.users = new DummyUserStore(this.tables);
  }

  /** Adds events at the end. At most a few thousand more than {@link KEPT_EVENTS} are ever stored. */
  async keep(connection: string, entries: readonly KeptEvent[]): Promise<void> {
    const keys = entries.map(({ idempotencyKey }) => idempotencyKey);
    const bodies = entries.map(({ body }) => body);
    await this.tables.query(KEEP, [connection, keys, bodies]);
    const untrimmed = (this.untrimmed.get(connection) ?? KEPT_EVENTS) + entries.length;
    this.untrimmed.set(connection, untrimmed % KEPT_EVENTS);
    if (untrimmed >= KEPT_EVENTS) await this.tables.query(TRIM, [connection]);
  }

  /** @returns the last {@link KEPT_EVENTS}, oldest first. */
  list(connection: string): Promise<KeptEvent[]> {
    return this.tables.query<KeptEvent>(LIST, [connection]);
  }

  /** How many users were created and changed, and how many of them are kept. */
  userCounts(connection: string): Promise<KeptUsers> {
    return this.users.counts(connection);
  }

  /** @returns the number of this call among those of the operation, from 1; no two calls get the same. */
  async nextCall(connection: string, operation: DummyOperation): Promise<number> {
    const [row] = await this.tables.query<{ count: number }>(NEXT_CALL, [connection, operation]);
    return Number(row?.count);
  }

  /** Forgets everything about a connection. */
  async drop(connection: string): Promise<void> {
    this.untrimmed.delete(connection);
    for (const table of ['events', 'calls', 'users'])
      await this.tables.query(`DELETE FROM penstock_dummy.${table} WHERE connection = $1`, [
        connection,
      ]);
  }
}
