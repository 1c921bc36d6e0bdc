import { HASH } from '../contract/changes.fixture';
import { Messages } from './messages';
import { Database } from './sql/database';
import { StoreDatabase } from './store-harness.fixture';

jest.setTimeout(600_000);

const database = StoreDatabase.forEachTest();
const WINDOW_HOURS = 24;

interface Slice {
  readonly name: string;
  readonly bounds: string;
}

const slices = (): Promise<Slice[]> =>
  database.rows<Slice>(
    `SELECT c.relname AS name, pg_get_expr(c.relpartbound, c.oid) AS bounds
       FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent = 'penstock_router.messages'::regclass ORDER BY c.relname`,
  );

const hourNow = async (): Promise<number> => Math.floor((await database.nowMs()) / 3_600_000);

const addSlice = (from: number, to: number) =>
  database.rows(
    `CREATE TABLE penstock_router.messages_${from} PARTITION OF penstock_router.messages
       FOR VALUES FROM (${from}) TO (${to})`,
  );

const remember = (hour: number, digest: string) =>
  database.rows('INSERT INTO penstock_router.messages (hash, digest, hour) VALUES ($1, $2, $3)', [
    HASH,
    digest,
    hour,
  ]);

const drop = () =>
  database.rows('DROP TABLE penstock_router.messages CASCADE').then(() =>
    database.rows(
      `CREATE TABLE penstock_router.messages (hash uuid NOT NULL, digest text NOT NULL, hour integer NOT NULL)
         PARTITION BY RANGE (hour)`,
    ),
  );

it('creates slices of a third of the window, and the next one two hours ahead', async () => {
  await database.open('one');
  const hour = await hourNow();
  const names = (await slices()).map(({ name }) => name);
  const first = Math.floor(hour / 8) * 8;
  expect(names).toEqual(
    [first, ...(hour + 2 >= first + 8 ? [first + 8] : [])].map((from) => `messages_${from}`),
  );
  await database.open('other');
  expect(await slices()).toHaveLength(names.length);
});

it.each([
  [1, 1],
  [3, 1],
  [24, 8],
  [24.5, 9],
  [25, 9],
  [100, 34],
])('covers a window of %d hours with at most four slices of %d', async (window, width) => {
  await database.open('one');
  await drop();
  const messages = new Messages(new Database(database.pool), window);
  await messages.slices.make();
  const [slice] = await slices();
  const [from, to] = slice!.bounds.match(/\d+/g)!.map(Number);
  expect(to! - from!).toBe(width);
  expect(3 * width).toBeGreaterThanOrEqual(window);
  expect(await messages.seen([HASH])).toEqual(new Map());
});

it('creates slices around existing ones of any width', async () => {
  await database.open('one');
  await drop();
  const hour = await hourNow();
  const first = Math.floor(hour / 8) * 8;
  for (const from of [hour - 1, hour, hour + 2]) await addSlice(from, from + 1);
  const { slices: made } = new Messages(new Database(database.pool), WINDOW_HOURS);
  await made.make();
  await made.make();
  const held = (await slices()).map(({ bounds }) => bounds.match(/\d+/g)!.map(Number));
  const hours = held.flatMap(([from, to]) =>
    Array.from({ length: to! - from! }, (_, at) => from! + at),
  );
  expect(new Set(hours).size).toBe(hours.length);
  for (let each = first; each < first + 8; each += 1) expect(hours).toContain(each);
  for (const each of [hour, hour + 1, hour + 2]) expect(hours).toContain(each);
});

it('searches the tables of every hour of the window, and drops those entirely before it', async () => {
  const store = await database.open('one');
  await drop();
  const hour = await hourNow();
  for (const age of [23, 24, 25, 26]) await addSlice(hour - age, hour - age + 1);
  await remember(hour - 24, 'within');
  expect(await store.seen([HASH])).toEqual(new Map([[HASH, 'within']]));
  await remember(hour - 23, 'later');
  expect(await store.seen([HASH])).toEqual(new Map([[HASH, 'later']]));
  await database.rows('DELETE FROM penstock_router.messages');
  await remember(hour - 25, 'before');
  expect(await store.seen([HASH])).toEqual(new Map());
  await store.sweep();
  const names = (await slices()).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining([24, 23].map((age) => `messages_${hour - age}`)));
  expect(names).not.toContain(`messages_${hour - 25}`);
  expect(names).not.toContain(`messages_${hour - 26}`);
});

it('does what it can of a sweep, and fails with what it cannot', async () => {
  const store = await database.open('one');
  const hour = await hourNow();
  await addSlice(hour - 40, hour - 39);
  await database.rows('ALTER TABLE penstock_router.unreadable RENAME TO elsewhere');
  await expect(store.sweep()).rejects.toMatchObject({ code: '42P01' });
  await database.rows('ALTER TABLE penstock_router.elsewhere RENAME TO unreadable');
  expect((await slices()).map(({ name }) => name)).not.toContain(`messages_${hour - 40}`);
});

it('keeps outcomes for their days', async () => {
  const store = await database.open('one');
  const day = Math.floor((await database.nowMs()) / 86_400_000);
  const names = async () =>
    (
      await database.rows<{ name: string }>(
        `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
          WHERE i.inhparent = 'penstock_router.outcomes'::regclass ORDER BY 1`,
      )
    ).map(({ name }) => name);
  expect(await names()).toEqual([`outcomes_${day}`, `outcomes_${day + 1}`]);
  for (const age of [30, 31, 32])
    await database.rows(
      `CREATE TABLE penstock_router.outcomes_${day - age} PARTITION OF penstock_router.outcomes
         FOR VALUES FROM (${day - age}) TO (${day - age + 1})`,
    );
  await store.sweep();
  expect(await names()).toEqual(
    [day - 31, day - 30, day, day + 1].map((each) => `outcomes_${each}`),
  );
});

it('gives up a drop that waits for its lock, since queries queue up behind it', async () => {
  const store = await database.open('one');
  const hour = await hourNow();
  await addSlice(hour - 40, hour - 39);
  const reader = await database.pool.connect();
  try {
    await reader.query('BEGIN');
    await reader.query('SELECT FROM penstock_router.messages');
    await expect(store.sweep()).rejects.toMatchObject({ code: '55P03' });
    await reader.query('COMMIT');
    await store.sweep();
    expect((await slices()).map(({ name }) => name)).not.toContain(`messages_${hour - 40}`);
  } finally {
    reader.release();
  }
});
