import { type FreshDatabase, freshDatabase } from '@penstock/test-servers';
import { Client, Pool } from 'pg';
import { ROUTER_DEFAULTS } from '../router.options';
import type { PartitionChanges } from './changes';
import { PostgresRouterStore } from './postgres-router-store';

jest.setTimeout(60_000);

let database: FreshDatabase;
let pool: Pool;

beforeEach(async () => {
  database = await freshDatabase();
  pool = new Pool({ connectionString: database.url, max: 2 });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
});

afterEach(async () => {
  await pool.end();
  await database.drop();
});

const changes = (epoch: number, next: number): PartitionChanges => ({
  partition: 0,
  epoch,
  next,
  beyond: [],
  counts: new Map([['p|Delivered|Finalize||0', 1]]),
  messages: new Map(),
  stored: [],
  postponed: [],
  settled: [],
});

const endSessions = async (): Promise<void> => {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  await client.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  );
  await client.end();
};

it('rejects what was under way when its session ends, and goes on with another', async () => {
  const store = new PostgresRouterStore(pool, ROUTER_DEFAULTS);
  await store.prepare();
  const [grant] = await store.acquire([0]);
  const epoch = grant?.epoch ?? 0;
  let committed = 0;
  for (let round = 0; round < 10; round += 1) {
    const ending = endSessions();
    for (let next = 1; next <= 20; next += 1)
      await store.commit([changes(epoch, round * 20 + next)]).then(
        () => (committed += 1),
        () => undefined,
      );
    await ending;
  }
  await store.commit([changes(epoch, 201)]);
  expect((await store.progress([0])).get(0)).toEqual({ next: 201, beyond: [] });
  const { rows } = await pool.query<{ count: number }>(
    'SELECT count::int FROM penstock_router.counters',
  );
  expect(rows[0]?.count).toBeGreaterThanOrEqual(committed + 1);
});

it('gives a lease to one owner at a time, with a higher epoch each time', async () => {
  const store = new PostgresRouterStore(pool, ROUTER_DEFAULTS);
  await store.prepare();
  const first = await store.acquire([0]);
  expect(first).toEqual([{ partition: 0, epoch: 1 }]);
  expect(await store.acquire([0])).toEqual([]);
  await store.release(first);
  expect(await store.acquire([0])).toEqual([{ partition: 0, epoch: 2 }]);
  await expect(store.commit([changes(1, 5)])).rejects.toThrow('partitions 0 have another owner');
  expect(await store.renew(first)).toEqual([]);
});
