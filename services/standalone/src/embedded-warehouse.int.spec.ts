import { type FreshDatabase, freshDatabase } from '@penstock/test-servers';
import { Client } from 'pg';
import { openEmbeddedWarehouse } from './embedded-warehouse';

const SECRET = 'a secret of thirty-two characters';

let database: FreshDatabase;

const run = async (url: string, ...statements: string[]): Promise<void> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
};

beforeEach(async () => {
  database = await freshDatabase();
  await run(database.url, 'CREATE SCHEMA penstock', 'CREATE TABLE penstock.facts ()');
});

afterEach(async () => {
  await run(
    database.url,
    'DROP OWNED BY penstock_warehouse CASCADE',
    'DROP ROLE penstock_warehouse',
  );
  await database.drop();
});

const open = async (): Promise<string> => {
  const url = new URL((await openEmbeddedWarehouse(database.url, SECRET, true)) ?? 'none:');
  expect(url.search).toBe('?schema=warehouse&sslmode=disable');
  url.search = '';
  return url.href;
};

it('is created only on request, and found at every later start', async () => {
  const start = (isWanted: boolean) => openEmbeddedWarehouse(database.url, SECRET, isWanted);
  expect(await start(false)).toBeUndefined();
  const url = await start(true);
  expect(await start(true)).toBe(url);
  expect(await start(false)).toBe(url);
});

it('grants its role the schema, and nothing else', async () => {
  const url = await open();
  await run(url, 'CREATE TABLE warehouse.t ()', 'DROP TABLE warehouse.t');
  for (const statement of [
    'SELECT FROM penstock.facts',
    'CREATE TABLE penstock.t ()',
    'CREATE TABLE public.t ()',
    'CREATE SCHEMA another',
    'CREATE ROLE another',
  ])
    await expect(run(url, statement)).rejects.toThrow('permission denied');
});

it('recreates a schema that was dropped, and keeps a password that was changed', async () => {
  const url = await open();
  await run(
    database.url,
    'DROP SCHEMA warehouse CASCADE',
    `ALTER ROLE penstock_warehouse PASSWORD 'mine'`,
  );
  await open();
  const changed = new URL(url);
  changed.password = 'mine';
  await run(changed.href, 'CREATE TABLE warehouse.t ()');
  await expect(run(url, 'SELECT')).rejects.toThrow('password authentication failed');
});
