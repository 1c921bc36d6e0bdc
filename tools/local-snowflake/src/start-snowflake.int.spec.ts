import type { Binds, Connection } from 'snowflake-sdk';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type LocalSnowflake, startSnowflake } from './start-snowflake';

jest.setTimeout(120_000);
/** Milliseconds: packages of Python may have to be installed first. */
const INSTALL_TIMEOUT_MS = 700_000;

const silent = () => undefined;
const SILENT = { error: silent, warn: silent, info: silent, debug: silent, trace: silent };

let server: LocalSnowflake;
let opened: Connection[] = [];

beforeAll(async () => {
  // The driver looks for clouds around it when it is loaded, and loads a program.
  process.env['SNOWFLAKE_DISABLE_PLATFORM_DETECTION'] = 'true';
  process.env['SNOWFLAKE_DISABLE_MINICORE'] = 'true';
  server = await startSnowflake();
}, INSTALL_TIMEOUT_MS);
afterEach(async () => {
  await Promise.all(
    opened.map((each) => new Promise((resolve) => each.destroy(() => resolve(undefined)))),
  );
  opened = [];
});
afterAll(() => server.stop());

const connected = async (changes: object = {}): Promise<Connection> => {
  const { configure, createConnection } = await import('snowflake-sdk');
  configure({ customLogger: SILENT, useEnvProxy: false });
  const { port, username, password, role, warehouse, database, schema } = server;
  const connection = createConnection({
    ...{ account: 'acme-eu', accessUrl: `http://127.0.0.1:${String(port)}`, username, password },
    ...{ role, warehouse, database, schema, sfRetryMaxLoginRetries: 0, rowMode: 'array' },
    ...{ fetchAsString: ['Number', 'Date', 'JSON', 'Buffer'], representNullAsStringNull: false },
    ...changes,
  });
  await connection.connectAsync();
  if (!connection.isUp()) throw new Error('Incorrect username or password was specified.');
  opened.push(connection);
  return connection;
};

const run = (connection: Connection, sqlText: string, binds: Binds = []): Promise<unknown[]> =>
  new Promise((resolve, reject) => {
    connection.execute({
      ...{ sqlText, binds },
      complete: (error, _statement, rows) => {
        // The driver says null where its types say undefined.
        if (error) reject(error);
        else resolve(rows ?? []);
      },
    });
  });

it('lets in who has the password, into what there is', async () => {
  await expect(connected({ password: 'wrong' })).rejects.toThrow('Incorrect username or password');
  const place = 'SELECT CURRENT_DATABASE(), CURRENT_SCHEMA(), CURRENT_WAREHOUSE(), CURRENT_ROLE()';
  expect(await run(await connected(), place)).toEqual([['CRM', 'PUBLIC', 'SMALL', 'LOADER']]);
  const elsewhere = await connected({ database: 'elsewhere', warehouse: 'elsewhere' });
  expect(await run(elsewhere, place)).toEqual([[null, null, null, 'LOADER']]);
});

it('takes rows one by one and in arrays, and merges them', async () => {
  const connection = await connected();
  await run(connection, 'CREATE TABLE merged (id NUMBER(9,0), name VARCHAR)');
  const insert = 'INSERT INTO merged (id, name) VALUES (?, ?)';
  await run(connection, insert, [1, 'Ada']);
  await run(connection, 'CREATE TEMPORARY TABLE staged (id VARCHAR, name VARCHAR)');
  const rows = Array.from({ length: 1_000 }, (_, n) => [String(n + 1), n === 1 ? null : 'x']);
  await run(connection, insert.replace('merged', 'staged'), rows);
  const merge = `MERGE INTO merged AS t USING (SELECT CAST(id AS NUMBER(9,0)) AS id, name FROM staged) AS s
    ON t.id = s.id WHEN MATCHED THEN UPDATE SET name = s.name
    WHEN NOT MATCHED THEN INSERT (id, name) VALUES (s.id, s.name)`;
  expect(await run(connection, merge)).toEqual([['1000']]);
  expect(await run(connection, 'SELECT count(*), count(name) FROM merged')).toEqual([
    ['1000', '999'],
  ]);
});

it('gives values of each type with their digits', async () => {
  const connection = await connected();
  await run(
    connection,
    `ALTER SESSION SET TIMEZONE = 'UTC', TIMESTAMP_NTZ_OUTPUT_FORMAT = 'YYYY-MM-DD HH24:MI:SS.FF9',
     TIMESTAMP_TZ_OUTPUT_FORMAT = 'YYYY-MM-DD HH24:MI:SS.FF9 TZH:TZM', TIME_OUTPUT_FORMAT = 'HH24:MI:SS.FF9'`,
  );
  const values = [
    ...["CAST('12345678901234567890.50' AS NUMBER(38,2))", '0.1::FLOAT', 'TRUE', "'é'"],
    ...["DATE '0001-01-01'", "TIME '01:02:03.5'", "'1969-12-31 23:59:59.25'::TIMESTAMP_NTZ"],
    ...["'2024-01-01 00:00:00 +02:00'::TIMESTAMP_TZ", "TO_BINARY('ff', 'HEX')", 'NULL'],
    ...[`PARSE_JSON('{"a":[1,"b"]}')`, 'ARRAY_CONSTRUCT(1, 2)'],
  ];
  expect(await run(connection, `SELECT ${values.join(', ')}`)).toEqual([
    [
      ...['12345678901234567890.50', '0.1', true, 'é', '0001-01-01', '01:02:03.500000000'],
      ...['1969-12-31 23:59:59.250000000', '2023-12-31 22:00:00.000000000 +00:00', 'FF', null],
      ...['{"a":[1,"b"]}', '[1,2]'],
    ],
  ]);
});

it('describes tables', async () => {
  const connection = await connected();
  await run(connection, 'CREATE TABLE described (id NUMBER(9,0) NOT NULL, name VARCHAR(8))');
  const rows = await run(connection, 'DESCRIBE TABLE described');
  expect(rows.map((row) => (row as string[]).slice(0, 4))).toEqual([
    ['ID', 'NUMBER(9,0)', 'COLUMN', 'N'],
    ['NAME', 'VARCHAR(8)', 'COLUMN', 'Y'],
  ]);
});

it('keeps a transaction open when a statement of it fails, and lets others wait for its end', async () => {
  const [one, other] = [await connected(), await connected()];
  await run(one, 'CREATE TABLE kept (id NUMBER(9,0) NOT NULL)');
  await run(one, 'BEGIN');
  await run(one, 'INSERT INTO kept VALUES (1)');
  await expect(run(one, 'INSERT INTO kept VALUES (NULL)')).rejects.toThrow('NOT NULL');
  await run(one, 'INSERT INTO kept VALUES (2)');
  let isDone = false;
  const waiting = run(other, 'INSERT INTO kept VALUES (3)').then(() => {
    isDone = true;
  });
  await sleep(200);
  expect(isDone).toBe(false);
  await run(one, 'COMMIT');
  await waiting;
  expect(await run(one, 'SELECT count(*) FROM kept')).toEqual([['3']]);
  await run(one, 'BEGIN');
  await run(one, 'DELETE FROM kept');
  await run(one, 'ROLLBACK');
  expect(await run(one, 'SELECT count(*) FROM kept')).toEqual([['3']]);
});

it('gives large results in chunks, in order', async () => {
  const rows = await run(
    await connected(),
    'SELECT SEQ4() + 1 AS n FROM TABLE(GENERATOR(ROWCOUNT => 25000))',
  );
  expect(rows).toEqual(Array.from({ length: 25_000 }, (_, n) => [String(n + 1)]));
});

it('leaves no files, also when it has been killed', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'snowflake-files-'));
  const other = await startSnowflake(parent);
  try {
    const files = await readdir(parent, { recursive: true });
    expect(files.filter((path) => path.includes('fakesnow_bucket_'))).toHaveLength(1);
    await other.kill();
  } finally {
    await other.stop();
  }
  expect(await readdir(parent)).toEqual([]);
  await rm(parent, { recursive: true });
});

it('tells statements apart that differ in random digits of names only', async () => {
  const connection = await connected();
  const names = ['"_STAGE_1_0123456789ABCDEF"', '"_STAGE_1_FEDCBA9876543210"'];
  for (const [n, name] of names.entries()) {
    await run(
      connection,
      `CREATE TABLE ${name} ("_ID" NUMBER(9,0) NOT NULL AUTOINCREMENT START 1 INCREMENT 1 ORDER, NOTE VARCHAR(8), PRIMARY KEY ("_ID"))`,
    );
    await run(connection, `INSERT INTO ${name} (NOTE) VALUES (?)`, [`in ${String(n)}`]);
  }
  await run(connection, `INSERT INTO ${names[1]} (NOTE) VALUES (?)`, ['again']);
  expect(await run(connection, `SELECT "_ID", NOTE FROM ${names[0]}`)).toEqual([['1', 'in 0']]);
  expect(await run(connection, `SELECT "_ID", NOTE FROM ${names[1]} ORDER BY 1`)).toEqual([
    ['1', 'in 1'],
    ['2', 'again'],
  ]);
  const found = await run(
    connection,
    `SELECT TABLE_NAME FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_NAME IN (${names.join(', ').replaceAll('"', "'")}) ORDER BY 1`,
  );
  expect(found.map((row) => `"${String((row as string[])[0])}"`)).toEqual(names);
  await run(connection, `DROP TABLE ${names[0]}`);
  await expect(run(connection, `SELECT * FROM ${names[0]}`)).rejects.toThrow('0123456789ABCDEF');
  expect(await run(connection, `SELECT COUNT(*) FROM ${names[1]}`)).toEqual([['2']]);
});
