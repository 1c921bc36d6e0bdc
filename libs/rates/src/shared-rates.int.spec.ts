import { type FreshDatabase, freshDatabase } from '@penstock/test-servers';
import { Pool } from 'pg';
import { ratesOf, SharedRates } from './shared-rates';

jest.setTimeout(60_000);

let database: FreshDatabase;
let pool: Pool;
/** Of two processes. */
let rates: readonly SharedRates[];

const statements = (text: string, values: readonly unknown[] = []) =>
  pool.query(text, [...values]).then(({ rows }) => rows as never[]);

beforeAll(async () => {
  database = await freshDatabase();
  pool = new Pool({ connectionString: database.url, max: 4 });
  rates = [new SharedRates({ rows: statements }), new SharedRates({ rows: statements })];
  await Promise.all(rates.map((each) => each.prepare()));
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

const pass = (ms: number) =>
  statements('UPDATE penstock_rates.rates SET due_ms = due_ms - $1', [ms]);

let keys = 0;
const slow = (burst = 5) => ({ rate: `rate ${String((keys += 1))}`, ratePerSecond: 0.001, burst });

it('gives the burst to all processes together, then one token after the other', async () => {
  const rate = slow();
  const given = await Promise.all(
    Array.from({ length: 20 }, (_, nth) => rates[nth % 2]!.take({ ...rate, count: 1 })),
  );
  expect(given.filter(({ count }) => count === 1)).toHaveLength(5);
  for (const { count, waitMs } of given) expect(waitMs > 0).toBe(count === 0);
  await pass(2_000_000);
  expect((await rates[0]!.take({ ...rate, count: 9 })).count).toBe(2);
  await pass(100_000_000);
  expect((await rates[1]!.take({ ...rate, count: 9 })).count).toBe(5);
});

it('gives a token when its time has come, and not before', async () => {
  const rate = slow(1);
  expect(await rates[0]!.take({ ...rate, count: 1 })).toEqual({ count: 1, waitMs: 0 });
  const { waitMs } = await rates[1]!.take({ ...rate, count: 1 });
  expect(waitMs).toBeGreaterThan(900_000);
  await pass(waitMs);
  expect((await rates[0]!.take({ ...rate, count: 1 })).count).toBe(1);
});

it('waits for one burst at most, as when a clock was set back', async () => {
  const rate = slow(1);
  await rates[0]!.take({ ...rate, count: 1 });
  await pass(-100_000_000);
  expect((await rates[0]!.take({ ...rate, count: 1 })).waitMs).toBeLessThanOrEqual(1_000_000);
});

it('forgets rates that nobody uses, which have all of their tokens', async () => {
  const [used, idle] = [slow(), slow()];
  for (const rate of [used, idle]) await rates[0]!.take({ ...rate, count: 5 });
  await statements('UPDATE penstock_rates.rates SET due_ms = 0 WHERE rate <> $1', [used.rate]);
  await rates[0]!.forgetIdle();
  expect(await statements('SELECT rate FROM penstock_rates.rates')).toEqual([{ rate: used.rate }]);
  expect((await rates[0]!.take({ ...idle, count: 9 })).count).toBe(5);
});

it('names the rates of a connection: one for all, those of groups beside it or within it', () => {
  const all = { rate: 'c', ratePerSecond: 8, burst: 8 };
  const group = { ratePerSecond: 4, burst: 1, group: 'search' };
  const ofGroup = { rate: 'c/search', ratePerSecond: 4, burst: 1 };
  expect(ratesOf('c', {})).toEqual([]);
  expect(ratesOf('c', { ratePerSecond: 8 })).toEqual([all]);
  expect(ratesOf('c', { ratePerSecond: 0.5 })).toEqual([
    { rate: 'c', ratePerSecond: 0.5, burst: 1 },
  ]);
  expect(ratesOf('c', group)).toEqual([ofGroup]);
  expect(ratesOf('c', { ...group, within: { ratePerSecond: 8 } })).toEqual([ofGroup, all]);
});
