import { postgresqlDatabase } from '@penstock/databases';
import { createGuardedSockets } from '@penstock/egress';
import { type Json, JsonNumber, type Property } from '@penstock/schema';
import { type FreshDatabase, freshDatabase } from '@penstock/test-servers';
import { Away } from '../engine/away';
import type { RecordReading } from '../engine/record-source';
import { DatabaseRecords } from './database-source';

jest.setTimeout(600_000);

const ROWS_MS = 1_500;

let fresh: FreshDatabase;
let settings: ReadonlyMap<string, Json>;

beforeAll(async () => {
  fresh = await freshDatabase();
  const { hostname, port, username, password, pathname } = new URL(fresh.url);
  settings = new Map<string, Json>([
    ['host', hostname],
    ['port', new JsonNumber(port)],
    ['username', decodeURIComponent(username)],
    ['password', decodeURIComponent(password)],
    ['database', pathname.slice(1)],
    ['schema', 'public'],
    ['sslMode', 'prefer'],
  ]);
});
afterAll(() => fresh.drop());

const open = (
  query: string,
  signal = new AbortController().signal,
  names: readonly string[] = [],
): Promise<RecordReading> =>
  new DatabaseRecords({
    database: postgresqlDatabase,
    settings,
    sockets: createGuardedSockets(['127.0.0.0/8']),
    query: {
      kind: 'database',
      query,
      columns: { userID: 'id', updatedAt: null, updatedAtFormat: null },
    },
    rowsMs: ROWS_MS,
  }).open({
    from: { kind: 'start' },
    changedSince: null,
    schema: { kind: 'object', properties: names.map(propertyOf) },
    signal,
  });

const propertyOf = (name: string): Property => ({
  ...{ name, type: { kind: 'string' }, prefilled: '', description: '' },
  ...{ createRequired: false, updateRequired: false, readOptional: false, nullable: true },
});

/** Ids of all that is read. */
const idsOf = async (reading: RecordReading): Promise<(string | null)[]> => {
  const ids: (string | null)[] = [];
  try {
    for await (const { records } of reading.pages) ids.push(...records.map(({ id }) => id));
  } finally {
    await reading.close();
  }
  return ids;
};

it('reads the id of a row by itself', async () => {
  const rows = `SELECT 'a' AS id, 'NaN'::numeric AS n, now() AS t UNION ALL SELECT 'b', 1, 'infinity'
    UNION ALL SELECT 'c', 1, now() UNION ALL SELECT NULL, 'NaN', now() ORDER BY id`;
  const reading = await open(rows, undefined, ['n', 't']);
  const found: unknown[] = [];
  for await (const { records } of reading.pages)
    found.push(...records.map(({ id, fault }) => [id, fault?.place, fault?.message]));
  await reading.close();
  expect(found).toEqual([
    [...['a', 'row 1'], 'column "n" is not a decimal of 76 digits, 37 of them after the point'],
    ['b', 'row 2', 'column "t" is not a time of the years 1 to 9999'],
    ['c', undefined, undefined],
    [null, 'row 4', 'the id column is empty'],
  ]);
});

it('reads on for as long as rows come in time', async () => {
  const pause = ROWS_MS / 3_000;
  const rows = `SELECT n AS id, repeat('x', 20000) AS t, pg_sleep(${String(pause)})::text AS p FROM generate_series(1, 5) AS n`;
  expect(await idsOf(await open(rows))).toHaveLength(5);
});

it('gives up a database that gives no first rows', async () => {
  const hanging = (async () => idsOf(await open('SELECT 1 AS id, pg_sleep(40)::text AS p')))();
  await expect(hanging).rejects.toEqual(new Away('no answer within 1.5 s'));
});

it('gives up a database that gives no more rows', async () => {
  const rows = `SELECT n AS id, repeat('x', 20000) AS t,
    CASE n WHEN 20 THEN pg_sleep(40)::text END AS p FROM generate_series(1, 20) AS n`;
  await expect(open(rows).then(idsOf)).rejects.toEqual(new Away('no answer within 1.5 s'));
});

it('ends with its signal', async () => {
  const control = new AbortController();
  const reading = open('SELECT 1 AS id, pg_sleep(40)::text AS p', control.signal).then(idsOf);
  control.abort(new Error('cancelled'));
  await expect(reading).rejects.toThrow('cancelled');
});
