import { type FreshDatabase, freshDatabase } from '@penstock/test-servers';
import { Pool } from 'pg';
import { unpackOutcomes } from '../../store/packed-outcomes';
import { PostgresRouterStore } from '../../store/postgres/postgres-router-store';
import { READ_TIMES } from '../../store/postgres/read-times.fixture';
import { type PartitionProgress, RouterStore } from '../../store/router-store';
import type { RouterStoreOptions } from '../../store/router-store-options';
import { everyCall } from './every-call.fixture';
import { POISON } from './odd-messages.fixture';
import { BEGINNING_MS } from './process-clock.fixture';
import type { Simulation } from './simulation.fixture';
import { Storage, type Stored } from './storage.fixture';

/**
 * The search path finds `now()` of the simulation before PostgreSQL's; commits need not survive a crash of the server.
 */
const SETTINGS = '-c search_path=simulated,pg_catalog -c synchronous_commit=off';

/** A `now()` that returns the time of the simulation. */
const CLOCK = `
CREATE SCHEMA simulated;
CREATE UNLOGGED TABLE simulated.clock (at timestamptz NOT NULL) WITH (fillfactor = 10);
INSERT INTO simulated.clock VALUES (to_timestamp(${BEGINNING_MS / 1_000}));
CREATE FUNCTION simulated.now() RETURNS timestamptz LANGUAGE sql STABLE
  AS 'SELECT at FROM simulated.clock';
`;

/** A trigger that refuses bodies with {@link POISON}, with the SQLSTATE of invalid UTF-8. */
const REFUSAL = `
CREATE FUNCTION simulated.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a body that nobody can store' USING ERRCODE = '22021';
END $$;
CREATE TRIGGER refused BEFORE INSERT ON penstock_router.bodies
  FOR EACH ROW WHEN (NEW.body LIKE '%${POISON}%') EXECUTE FUNCTION simulated.refuse();
`;

const TABLES = `
SELECT string_agg(format('DELETE FROM %s;', c.oid::regclass), ' ') AS statements
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE n.nspname = 'penstock_router' AND c.relkind IN ('r', 'p') AND NOT c.relispartition
   AND c.relname <> 'migrations'`;

const ROWS = `
SELECT d.partition, d."offset"::int, d.pipeline, version, lane, order_key AS "orderKey", attempts,
       extract(epoch FROM due)::float8 * 1000 AS "dueMs", state, step, code, reason, body
  FROM penstock_router.deliveries d JOIN penstock_router.bodies USING (partition, "offset")`;

const METHODS = Object.getOwnPropertyNames(PostgresRouterStore.prototype).filter(
  (name) => name !== 'constructor',
);

/** A PostgreSQL database that successive simulations use. */
export class PostgresForModel {
  private database: FreshDatabase | undefined;
  private openPool: Pool | undefined;
  private emptying = '';

  /** Creates it with hooks of jest. Call it once per spec. */
  static forEachRun(): PostgresForModel {
    const postgres = new PostgresForModel();
    beforeAll(() => postgres.open(), 60_000);
    afterAll(() => postgres.close());
    return postgres;
  }

  get pool(): Pool {
    if (this.openPool === undefined) throw new Error('the database is not there yet');
    return this.openPool;
  }

  /** A storage for one run. */
  readonly openStorage = (simulation: Simulation): Storage =>
    new PostgresStorage(simulation, this.pool, this.emptying);

  private async open(): Promise<void> {
    this.database = await freshDatabase();
    this.openPool = new Pool({ connectionString: this.database.url, max: 2, options: SETTINGS });
    await this.openPool.query(CLOCK);
    await storeOf(this.openPool, OPTIONS).prepare();
    await this.openPool.query(REFUSAL);
    const { rows } = await this.openPool.query<{ statements: string }>(TABLES);
    this.emptying = rows[0]?.statements ?? '';
  }

  private async close(): Promise<void> {
    await this.openPool?.end();
    await this.database?.drop();
  }
}

const OPTIONS = { leaseMs: 2_000, duplicateWindowHours: 24, deadLetterDays: 14, outcomeDays: 30 };

const storeOf = (pool: Pool, options: RouterStoreOptions) => new PostgresRouterStore(pool, options);

/** The tables during one run; the simulated time stands still during each call. */
class PostgresStorage extends Storage {
  private setMs = NaN;

  constructor(
    private readonly simulation: Simulation,
    private readonly pool: Pool,
    emptying: string,
  ) {
    super();
    void simulation.outside(() => pool.query(emptying));
  }

  override open(options: RouterStoreOptions): RouterStore {
    const store = storeOf(this.pool, options);
    const proxy = Object.create(RouterStore.prototype) as Record<string, unknown>;
    Object.defineProperty(proxy, 'member', { get: () => store.member });
    const port = <Port extends object>(own: Port): Port =>
      everyCall(own, (work) => this.call(work));
    Object.defineProperty(proxy, 'jobs', { value: port(store.jobs) });
    Object.defineProperty(proxy, 'redrives', { value: port(store.redrives) });
    Object.defineProperty(proxy, 'replays', { value: port(store.replays) });
    for (const name of METHODS as (keyof RouterStore & 'ping')[])
      proxy[name] = (...args: []) => this.call(() => store[name](...args));
    return proxy as unknown as RouterStore;
  }

  override progress(): Promise<ReadonlyMap<number, PartitionProgress>> {
    return this.call(async () => {
      const store = storeOf(this.pool, OPTIONS);
      const found = new Map<number, PartitionProgress>();
      const { rows } = await this.pool.query<{ partition: number; epoch: string }>(
        'SELECT partition, epoch FROM penstock_router.partitions ORDER BY partition',
      );
      for (const { partition, epoch } of rows)
        found.set(partition, await store.restore({ partition, epoch: Number(epoch) }));
      return found;
    });
  }

  override stored(): Promise<Stored> {
    return this.call(async () => {
      const outcomes = await this.rows<{ partition: number; data: string }>(
        'SELECT partition, data FROM penstock_router.outcomes ORDER BY partition, epoch, sequence',
      );
      return {
        counts: await this.rows(
          'SELECT pipeline, state, code, count::int FROM penstock_router.pipeline_counts',
        ),
        times: await this.rows(READ_TIMES),
        rows: await this.rows(ROWS),
        outcomes: outcomes.flatMap(({ partition, data }) =>
          unpackOutcomes(data).map((outcome) => ({ ...outcome, partition })),
        ),
        unreadable: await this.rows(
          `SELECT partition, "offset"::int, order_key AS "orderKey", value, reason
             FROM penstock_router.unreadable`,
        ),
      };
    });
  }

  private async rows<Row extends object>(text: string): Promise<Row[]> {
    return (await this.pool.query<Row>(text)).rows;
  }

  private call<T>(work: () => Promise<T>): Promise<T> {
    return this.simulation.outside(async () => {
      const { nowMs } = this.simulation;
      if (nowMs !== this.setMs)
        await this.pool.query('UPDATE simulated.clock SET at = to_timestamp($1)', [
          (BEGINNING_MS + nowMs) / 1_000,
        ]);
      this.setMs = nowMs;
      return work();
    });
  }
}
