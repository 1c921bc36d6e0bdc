import type { ConnectionId } from '@penstock/contracts';
import { newId } from '@penstock/runtime';
import { Pool } from 'pg';
import type { PostgresRunStore } from './postgres-run-store';
import { StoreDatabase, WORKSPACE } from './store.fixture';

jest.setTimeout(600_000);

const database = StoreDatabase.forEachTest();
let pool: Pool;
/** Of two executors. */
let stores: PostgresRunStore[];

beforeEach(async () => {
  pool = new Pool({ connectionString: database.pool.options.connectionString, max: 4 });
  stores = [await database.open(), await database.open(4, pool)];
});
afterEach(() => pool.end());

const newConnection = () => newId() as ConnectionId;

const reserve = (connection: ConnectionId, ratePerSecond: number, executor = 0): Promise<number> =>
  stores[executor]?.reserve({ workspace: WORKSPACE, connection, ratePerSecond }) ??
  Promise.reject(new Error('there is no such executor'));

/** The waits that calls of both executors get, made at the same time, and how long it took. */
const waits = async (connection: ConnectionId, rates: readonly number[]) => {
  const startMs = performance.now();
  const given = await Promise.all(rates.map((rate, n) => reserve(connection, rate, n % 2)));
  return { given: given.sort((one, other) => one - other), tookMs: performance.now() - startMs };
};

/** Waits are counted from their answers: those were given within the time that all took. */
const expectWaits = (
  { given, tookMs }: { given: readonly number[]; tookMs: number },
  expected: readonly number[],
): void => {
  expect(given).toHaveLength(expected.length);
  for (const [n, wait] of given.entries()) {
    expect(wait).toBeLessThanOrEqual((expected[n] ?? 0) + 1);
    expect(wait).toBeGreaterThanOrEqual((expected[n] ?? 0) - tookMs - 1);
  }
};

it('gives calls of all executors their places one after the other', async () => {
  const places = Array.from({ length: 20 }, (_, n) => n * 10_000);
  expectWaits(
    await waits(
      newConnection(),
      places.map(() => 0.1),
    ),
    places,
  );
});

it('gives every connection places of its own', async () => {
  const all = Array.from({ length: 5 }, () => reserve(newConnection(), 0.1));
  expect(await Promise.all(all)).toEqual([0, 0, 0, 0, 0]);
});

it('follows a rate that changes from the next call on, and makes nothing up', async () => {
  const connection = newConnection();
  const startMs = performance.now();
  const given = [
    await reserve(connection, 0.01),
    await reserve(connection, 0.1, 1),
    await reserve(connection, 0.1),
  ];
  expectWaits({ given, tookMs: performance.now() - startMs }, [0, 100_000, 110_000]);
  await database.pool.query('UPDATE penstock_runs.rates SET due_ms = due_ms - 3600000');
  expectWaits(await waits(connection, [0.1, 0.1]), [0, 10_000]);
});

it('never waits for longer than ten minutes, as when a clock was set back, and is erased with its workspace', async () => {
  const connection = newConnection();
  await reserve(connection, 0.1);
  await database.pool.query('UPDATE penstock_runs.rates SET due_ms = due_ms + 3600000');
  expectWaits(await waits(connection, [0.1]), [600_000]);
  await stores[0]?.erase(WORKSPACE);
  expect((await database.pool.query('SELECT FROM penstock_runs.rates')).rows).toEqual([]);
});
