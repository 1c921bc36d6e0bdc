import { type Beginning, type FreshDatabase, freshDatabase } from '@penstock/test-servers';
import { Pool } from 'pg';
import {
  DEAD_LETTER_DAYS,
  LEASE_MS,
  OUTCOME_DAYS,
  type StoreHarness,
} from '../contract/store-harness';
import { unpackAttempts } from '../packed-attempts';
import { unpackOutcomes } from '../packed-outcomes';
import { PostgresRouterStore } from './postgres-router-store';
import { until } from '../../testing/until.fixture';
import { READ_TIMES } from './read-times.fixture';
import { TableBaseline } from './table-baseline.fixture';

export const OPTIONS = {
  leaseMs: LEASE_MS,
  duplicateWindowHours: 24,
  deadLetterDays: DEAD_LETTER_DAYS,
  outcomeDays: OUTCOME_DAYS,
};

const DAY_MS = 86_400_000;

const COUNTED = ['counters', 'bases', 'source_events', 'delivery_times'];

const AGED: Readonly<Record<string, readonly string[]>> = {
  partitions: ['until', 'free_from'],
  members: ['since', 'seen_at'],
  deliveries: ['changed'],
  unreadable: ['at'],
  accesses: ['at'],
  jobs: ['created', 'ended'],
  waiting: ['since'],
  audiences: ['written'],
  alert_evaluation: ['measured'],
  alert_notifications: ['created', 'due', 'taken_until', 'ended'],
};

/** Tables in slices of days. */
const OF_DAYS = ['outcomes', 'attempts', 'trails'];

/** The tables of a router, without rows of events. */
const PREPARED: Beginning = {
  name: 'router_store',
  make: async (url) => {
    const pool = new Pool({ connectionString: url, max: 1 });
    await new PostgresRouterStore(pool, OPTIONS).prepare();
    await pool.end();
  },
  own: '',
};

/** A database for the tests of one file. Each of them begins with the tables of a router that has read nothing. */
export class StoreDatabase implements StoreHarness {
  private database: FreshDatabase | undefined;
  private poolOfAll: Pool | undefined;
  private baseline: TableBaseline | undefined;

  /** Creates the database with hooks of jest. Call it once per spec. */
  static forEachTest(): StoreDatabase {
    return StoreDatabase.withHooks(PREPARED, (database) => database.restore());
  }

  /** As {@link forEachTest}, but each test begins without tables, as before the first start of a router. */
  static withoutTables(): StoreDatabase {
    return StoreDatabase.withHooks(undefined, (database) => database.dropTables());
  }

  private static withHooks(
    beginning: Beginning | undefined,
    afterTest: (database: StoreDatabase) => Promise<void>,
  ): StoreDatabase {
    const database = new StoreDatabase();
    beforeAll(async () => {
      database.database = await freshDatabase(undefined, beginning);
      database.poolOfAll = database.newPool(8);
      if (beginning !== undefined) database.baseline = await TableBaseline.of(database.pool);
    }, 60_000);
    afterEach(() => afterTest(database));
    afterAll(async () => {
      await database.pool.end();
      await database.database?.drop();
    });
    return database;
  }

  get url(): string {
    return this.database?.url ?? '';
  }

  get pool(): Pool {
    if (this.poolOfAll === undefined) throw new Error('the database is not there yet');
    return this.poolOfAll;
  }

  /** A new pool, which the caller must end. */
  newPool(max: number): Pool {
    const pool = new Pool({ connectionString: this.url, max });
    pool.on('error', () => undefined);
    pool.on('connect', (client) => client.on('error', () => undefined));
    return pool;
  }

  readonly open = async (memberId: string, pool = this.pool): Promise<PostgresRouterStore> => {
    const store = new PostgresRouterStore(pool, { ...OPTIONS, memberId });
    await store.prepare();
    return store;
  };

  /** Resolves once a session of this database waits for a lock. */
  readonly untilSomeoneWaits = (): Promise<void> =>
    until(async () => {
      const rows = await this.rows(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return rows.length > 0;
    });

  readonly nowMs = async (): Promise<number> => {
    const { rows } = await this.pool.query<{ ms: number }>(
      'SELECT extract(epoch FROM now())::float8 * 1000 AS ms',
    );
    return rows[0]?.ms ?? NaN;
  };

  readonly pass = async (ms: number): Promise<void> => {
    for (const [table, columns] of Object.entries(AGED))
      await this.pool.query(
        `UPDATE penstock_router.${table} SET ${columns
          .map((column) => `${column} = ${column} - $1 * interval '1 millisecond'`)
          .join(', ')}`,
        [ms],
      );
    await this.pool.query('UPDATE penstock_rates.rates SET due_ms = due_ms - $1', [ms]);
    for (const table of COUNTED)
      await this.pool.query(`UPDATE penstock_router.${table} SET minute = minute - $1`, [
        Math.floor(ms / 60_000),
      ]);
    await this.passDays(Math.floor(ms / DAY_MS));
  };

  /** Moves the ids of messages to the hour before, which need not have a slice. */
  readonly passHourOfMessages = async (): Promise<void> => {
    await this.pool.query(`DO $$
      DECLARE before int := (SELECT min(hour) - 1 FROM penstock_router.messages);
      BEGIN
        EXECUTE format('CREATE TABLE penstock_router.messages_before
          PARTITION OF penstock_router.messages FOR VALUES FROM (%s) TO (%s)', before, before + 1);
      EXCEPTION WHEN invalid_object_definition THEN
        NULL; -- A slice covers it.
      END $$`);
    await this.pool.query('UPDATE penstock_router.messages SET hour = hour - 1');
  };

  private async dropTables(): Promise<void> {
    await this.pool.query('DROP SCHEMA IF EXISTS penstock_router, penstock_rates CASCADE');
  }

  /** Empties the tables. Migrates anew only when the test has changed their columns, which takes 20 times as long. */
  private async restore(): Promise<void> {
    await this.pool.query('DELETE FROM penstock_rates.rates');
    if (await this.baseline?.restore(this.pool)) return;
    await this.dropTables();
    await new PostgresRouterStore(this.pool, OPTIONS).prepare();
    this.baseline = await TableBaseline.of(this.pool);
  }

  /** Moves rows in slices of days to earlier days. */
  private async passDays(days: number): Promise<void> {
    if (days === 0) return;
    for (const table of OF_DAYS) {
      const rows = await this.rows<{ day: number }>(
        `SELECT DISTINCT day FROM penstock_router.${table}`,
      );
      for (const { day } of rows)
        await this.pool.query(
          `CREATE TABLE IF NOT EXISTS penstock_router.${table}_${day - days}
             PARTITION OF penstock_router.${table} FOR VALUES FROM (${day - days}) TO (${day - days + 1})`,
        );
    }
    for (const table of [...OF_DAYS, 'relayed'])
      await this.pool.query(`UPDATE penstock_router.${table} SET day = day - $1`, [days]);
  }

  readonly kill = async (member: string): Promise<void> => {
    const started = `process = jsonb_set(process, '{started}', '"before"')`;
    await this.pool.query(`UPDATE penstock_router.partitions SET ${started} WHERE member = $1`, [
      member,
    ]);
    await this.pool.query(`UPDATE penstock_router.members SET ${started} WHERE id = $1`, [member]);
  };

  readonly stored: StoreHarness['stored'] = async () => ({
    rows: await this.rows(
      `SELECT d.partition, d."offset"::int, d.pipeline, version, lane, order_key AS "orderKey", attempts,
              (extract(epoch FROM due) * 1000)::float8 AS "dueMs", state, step, code, reason, body
         FROM penstock_router.deliveries d JOIN penstock_router.bodies USING (partition, "offset")
        ORDER BY 1, 2, 3`,
    ),
    unreadable: await this.rows(
      `SELECT partition, "offset"::int, order_key AS "orderKey", value, reason
         FROM penstock_router.unreadable ORDER BY 1, 2, reason`,
    ),
    outcomes: (
      await this.rows<{ partition: number; data: string }>(
        'SELECT partition, data FROM penstock_router.outcomes ORDER BY partition, epoch, sequence',
      )
    ).flatMap(({ partition, data }) => unpackOutcomes(data).map((it) => ({ ...it, partition }))),
    attempts: (
      await this.rows<{ partition: number; data: string }>(
        'SELECT partition, data FROM penstock_router.attempts ORDER BY partition, epoch, sequence',
      )
    ).flatMap(({ partition, data }) => unpackAttempts(data).map((it) => ({ ...it, partition }))),
    duplicates: await this.rows(
      `SELECT partition, "offset"::int, replace(hash::text, '-', '') AS hash, differs,
              (extract(epoch FROM at) * 1000)::float8 AS "atMs"
         FROM penstock_router.duplicates ORDER BY 1, 2`,
    ),
    messages: await this.rows(
      `SELECT replace(hash::text, '-', '') AS hash, digest, partition, "offset"::int
         FROM penstock_router.messages ORDER BY 1`,
    ),
    counts: await this.rows(
      `SELECT pipeline, state, code, count::int FROM penstock_router.pipeline_counts
        ORDER BY pipeline COLLATE "C", state COLLATE "C", code COLLATE "C"`,
    ),
    audiences: (
      await this.rows<{ id: string }>('SELECT id FROM penstock_router.audiences ORDER BY id')
    ).map(({ id }) => id),
    sources: await this.rows(
      `SELECT source, kind, minute, sum(count)::int AS count FROM penstock_router.source_events
        GROUP BY source, kind, minute ORDER BY source, kind COLLATE "C", minute`,
    ),
    times: await this.rows(READ_TIMES),
    waiting: (
      await this.rows<{ partition: number; about: string; ms: number }>(
        `SELECT partition, about, extract(epoch FROM since)::float8 * 1000 AS ms
           FROM penstock_router.waiting ORDER BY partition, about`,
      )
    ).map(({ partition, about, ms }) => [partition, about, ms] as const),
  });

  async rows<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.pool.query<Row>(text, values)).rows;
  }
}
