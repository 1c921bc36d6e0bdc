import { type Pool, Query, type QueryConfig } from 'pg';
import { openPool } from './open-pool';

jest.setTimeout(60_000);

const TIMED_OUT = 'Query read timeout';
let pool: Pool;

const open = (statementMs: number): void => {
  pool = openPool({ connectionString: process.env['TEST_DATABASE_URL'], max: 1 }, { statementMs });
};

afterEach(() => pool.end());

const sleeping = (seconds: number, limitMs?: number): QueryConfig =>
  Object.assign({ text: 'select pg_sleep($1)', values: [seconds] }, { query_timeout: limitMs });

/** A statement that takes no time, with a limit that a busy server keeps. */
const quick = (text: string): QueryConfig => Object.assign({ text }, { query_timeout: 60_000 });

const answer = async (): Promise<unknown> =>
  (await pool.query<{ one: number }>(quick('select 1 as one'))).rows[0]?.one;

it('ends a session whose statement takes too long; the pool opens another', async () => {
  open(1_000);
  await expect(pool.query(sleeping(60))).rejects.toThrow(TIMED_OUT);
  expect(await answer()).toBe(1);
});

it('ends it within a transaction too, and later statements in it fail', async () => {
  open(1_000);
  const client = await pool.connect();
  await client.query(quick('begin'));
  await expect(client.query(sleeping(60))).rejects.toThrow(TIMED_OUT);
  await expect(client.query('commit')).rejects.toThrow();
  client.release(true);
  expect(await answer()).toBe(1);
});

it('uses the limit of the statement, longer or shorter', async () => {
  open(1_000);
  await expect(pool.query(sleeping(1.5, 60_000))).resolves.toBeDefined();
  await pool.end();
  open(60_000);
  expect(await answer()).toBe(1);
  await expect(pool.query(sleeping(60, 1_000))).rejects.toThrow(TIMED_OUT);
});

it('measures from each statement, and not between them', async () => {
  open(3_000);
  const client = await pool.connect();
  for (let each = 0; each < 7; each += 1) await client.query(sleeping(0.5));
  await new Promise((resolve) => setTimeout(resolve, 3_500));
  await expect(client.query('select 1')).resolves.toBeDefined();
  client.release();
});

it('calls a callback', async () => {
  open(1_000);
  const client = await pool.connect();
  const error = await new Promise<Error | null>((resolve) => {
    client.query('select pg_sleep(60)', (problem: Error | null) => {
      resolve(problem);
    });
  });
  expect(error?.message).toBe(TIMED_OUT);
  client.release(true);
});

it('returns a cursor or a stream unchanged, under the limit', async () => {
  open(1_000);
  const client = await pool.connect();
  const query = new Query<never[], unknown[]>('select pg_sleep(60)');
  const error = new Promise<Error>((resolve) => query.once('error', resolve));
  expect(client.query(query)).toBe(query);
  expect((await error).message).toBe(TIMED_OUT);
  client.release(true);
});

it('adds the caller of a statement to the stack of its error', async () => {
  open(60_000);
  const failure: unknown = await pool.query('select nothing').catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: '42703' });
  const client = await pool.connect();
  const own: unknown = await client.query('select nothing').catch((error: unknown) => error);
  expect((own as Error).stack).toContain('limit-queries.int.spec');
  client.release();
});
