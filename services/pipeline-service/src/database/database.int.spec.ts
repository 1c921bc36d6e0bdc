import { type FreshDatabase, freshDatabase } from '@penstock/test-servers';
import type { DataSource } from 'typeorm';
import { connectDatabase } from './database';

let database: FreshDatabase;
let opened: DataSource;

beforeAll(async () => {
  database = await freshDatabase();
});
afterEach(() => opened.destroy());
afterAll(() => database.drop());

/** Sessions that are used by this many statements at once. */
const sessionsOf = async (statements: number): Promise<number> => {
  const used = await Promise.all(
    Array.from({ length: statements }, () =>
      opened.query<{ pid: number }[]>('SELECT pg_backend_pid() AS pid, pg_sleep(0.1)'),
    ),
  );
  return new Set(used.map(([row]) => row?.pid)).size;
};

it('opens no more connections than it may', async () => {
  opened = await connectDatabase(database.url, () => undefined, 4);
  expect(await sessionsOf(10)).toBe(4);
});

it('opens twelve unless it is told otherwise', async () => {
  opened = await connectDatabase(database.url, () => undefined);
  expect(await sessionsOf(20)).toBe(12);
});
