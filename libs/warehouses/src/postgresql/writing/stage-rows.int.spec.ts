import { type FreshDatabase, freshDatabase } from '@penstock/test-servers';
import { Client } from 'pg';
import { type StagedColumn, stageRows } from './stage-rows';

let database: FreshDatabase;
let client: Client;
let version: number;

beforeAll(async () => {
  database = await freshDatabase();
  client = new Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query<{ version: number }>(
    `SELECT current_setting('server_version_num')::int AS version`,
  );
  version = rows[0]?.version ?? 0;
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

let tables = 0;

/** Stages one row. @returns the length of its first column, and whether large values would be kept beside the table. */
const staged = async (
  column: StagedColumn,
  text: string,
  { as = version, others = [] }: { as?: number; others?: readonly StagedColumn[] } = {},
) => {
  tables += 1;
  const table = `staged_${tables}`;
  const columns = [column, ...others];
  await stageRows(client, { table, columns, version: as }, [{ text: `${text}\n` }]);
  const { rows } = await client.query<{ length: number; beside: boolean }>(
    `SELECT length(${column.name}::text) AS length, (SELECT reltoastrelid <> 0 FROM pg_class
       WHERE oid = '${table}'::regclass) AS beside FROM ${table}`,
  );
  return rows[0];
};

/** With the end of the line. */
const LONGEST = 750;

/** As many elements as there is place for. */
const listOf = (element: string, [open, close]: readonly [string, string]): string => {
  const count = Math.floor((LONGEST - 1 - open.length - close.length) / (element.length + 1));
  return `${open}${Array.from({ length: count }, () => element).join(',')}${close}`;
};
const ARRAY = ['{', '}'] as const;
const JSON_ARRAY = ['[', ']'] as const;

it.each([
  ['jsonb', listOf('1', JSON_ARRAY)],
  ['jsonb', listOf('[]', JSON_ARRAY)],
  ['text[]', listOf('a', ARRAY)],
  ['numeric(3,1)[]', listOf('1', ARRAY)],
  ['bigint[]', listOf('1', ARRAY)],
  ['inet[]', listOf('::', ARRAY)],
  ['text', 'a'.repeat(LONGEST - 1)],
])('keeps rows of %s that fit into a page in one table', async (sqlType, text) => {
  const row = await staged({ name: 'value', sqlType }, text);
  expect(row?.beside).toBe(false);
  expect(row?.length).toBeGreaterThan(LONGEST / 2);
});

it('keeps a row of columns that are single digits of JSON in one table', async () => {
  const [first, ...others] = Array.from({ length: LONGEST / 2 }, (_, at) => ({
    name: `value${at}`,
    sqlType: 'jsonb',
  }));
  const text = ['1', ...others.map(() => '1')].join('\t');
  expect(text).toHaveLength(LONGEST - 1);
  expect(await staged(first!, text, { others })).toEqual({ length: 1, beside: false });
});

it('keeps longer rows as any table does, and all where the server cannot do otherwise', async () => {
  const column = { name: 'value', sqlType: 'text' };
  expect(await staged(column, 'a'.repeat(LONGEST))).toEqual({ length: LONGEST, beside: true });
  const long = 'é'.repeat(1_000_000);
  expect(await staged(column, long)).toEqual({ length: 1_000_000, beside: true });
  expect(await staged(column, 'a', { as: 150_000 })).toEqual({ length: 1, beside: true });
});
