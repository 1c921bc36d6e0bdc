import type { WorkspaceId } from '@penstock/contracts';
import { setTimeout } from 'node:timers/promises';
import type { StatementRows } from '../../platform/statement-reads';
import { MINE } from '../../platform/warehouse-writer.contract';
import { PASSWORD, SCHEMA } from '../stage.fixture';
import { type WrittenStage, writtenStage } from '../writing/written-stage.fixture';

jest.setTimeout(60_000);

const MAX_BYTES = 10_000;

let written: WrittenStage;
let reader: string;

const run = (...statements: readonly string[]) =>
  written.stage.run(`SET search_path = ${SCHEMA}`, ...statements);

beforeAll(async () => {
  written = await writtenStage(MINE);
  reader = await written.stage.role();
  await run(
    `CREATE TABLE own (id bigint, note text)`,
    `INSERT INTO own VALUES (1, 'one'), (2, 'two')`,
    `CREATE TABLE _hidden (id bigint)`,
    `GRANT USAGE ON SCHEMA ${SCHEMA} TO ${reader}`,
    `GRANT SELECT ON ALL TABLES IN SCHEMA ${SCHEMA} TO ${reader}`,
    'CREATE TABLE without_right (id bigint)',
    'CREATE SCHEMA elsewhere',
    `CREATE TABLE elsewhere.secrets AS SELECT 'a secret' AS secret`,
  );
});
afterAll(() => written.close());

const read = (text: string, maxBytes = MAX_BYTES): Promise<StatementRows> =>
  written.stage.as(reader, (warehouse) => warehouse.readStatement({ text, maxBytes }));

const refusal = (message: string) => ({
  name: 'WarehouseFault',
  kind: 'invalid',
  message: expect.stringContaining(message) as string,
});

const rowsOf = async (text: string): Promise<readonly string[]> => (await read(text)).rows;

describe('a statement', () => {
  it('gives its columns and rows, in the schema of the warehouse', async () => {
    expect(await read('SELECT * FROM own ORDER BY id')).toEqual({
      columns: [
        { name: 'id', type: 'bigint' },
        { name: 'note', type: 'text' },
      ],
      rows: ['[1,"one"]', '[2,"two"]'],
      isCut: false,
    });
  });

  it('gives values as JSON, numbers to the last digit', async () => {
    const text = `SELECT 9223372036854775807 AS a, 1234567890.12345678901234567890::numeric(40,20) AS a, 'NaN'::float8 AS c,
      NULL AS d, true AS e, '{"x": [1.10]}'::jsonb AS f, '2026-03-01T09:30+02'::timestamptz AS g, ARRAY['a,b', NULL] AS h,
      '\\x00ff'::bytea AS i, 0.1::float8 + 0.2::float8 AS j, interval '1 day 2 hours' AS k, 'é😀'::varchar(3) AS l`;
    const { columns, rows } = await read(text);
    expect(rows).toEqual([
      String.raw`[9223372036854775807,1234567890.12345678901234567890,"NaN",null,true,{"x":[1.10]},"2026-03-01 07:30:00+00","{\"a,b\",NULL}","\\x00ff",0.30000000000000004,"1 day 02:00:00","é😀"]`,
    ]);
    expect(columns.map(({ type }) => type)).toEqual([
      ...['bigint', 'numeric(40,20)', 'double precision', 'text', 'boolean', 'jsonb'],
      ...['timestamp with time zone', 'text[]', 'bytea', 'double precision', 'interval'],
      'character varying(3)',
    ]);
  });

  it.each([
    'SELECT 1 AS n',
    'SELECT 1 AS n;',
    'SELECT 1 AS n -- the end',
    'VALUES (1)',
    'WITH a AS (SELECT 1) TABLE a',
    '(SELECT 1)',
  ])('may be %s', async (text) => {
    expect(await rowsOf(text)).toEqual(['[1]']);
  });

  it('may give no rows, and no columns', async () => {
    expect(await read('SELECT id FROM own WHERE false')).toEqual({
      columns: [{ name: 'id', type: 'bigint' }],
      rows: [],
      isCut: false,
    });
    expect(await read('SELECT FROM own')).toEqual({
      columns: [],
      rows: ['[]', '[]'],
      isCut: false,
    });
  });

  it.each([
    ['as many bytes as there may be', 4 * 8, 4, false],
    ['one more', 4 * 8 - 1, 3, true],
  ])('is cut where its rows have no room: %s', async (_, maxBytes, count, isCut) => {
    const { rows, isCut: isSaid } = await read("SELECT 'xxx' FROM generate_series(1, 4)", maxBytes);
    expect([rows.length, isSaid]).toEqual([count, isCut]);
  });

  it('is read no further than it is shown: memory is bounded', async () => {
    const endless = "SELECT repeat('x', 1000), generate_series(1, 2000000000)";
    const { rows, isCut } = await read(endless, 700_000);
    expect(isCut).toBe(true);
    expect(rows.length).toBeGreaterThan(650);
    expect(rows.length).toBeLessThan(700);
  });

  it('has one row at least, and none that takes more than is held in memory', async () => {
    expect((await read("SELECT repeat('x', 20000) FROM own")).rows).toHaveLength(1);
    await expect(read("SELECT repeat('x', 9000000) FROM own")).rejects.toMatchObject({
      kind: 'unusable',
      message: 'it answers with more than 8 MiB',
    });
  });
});

describe('a statement that means harm', () => {
  const marks = () =>
    written.stage.rows(
      `SELECT (SELECT count(*)::int FROM ${SCHEMA}.own) AS own,
              (SELECT count(*)::int FROM pg_class WHERE relname ~ '^made') AS made,
              (SELECT count(*)::int FROM pg_largeobject_metadata) AS large`,
    );

  it.each([
    ['INSERT INTO own VALUES (3)', 'syntax error'],
    ['DELETE FROM own', 'syntax error'],
    ['WITH gone AS (DELETE FROM own RETURNING *) SELECT * FROM gone', 'data-modifying'],
    ['SELECT 1 INTO made', 'INTO'],
    ['CREATE TABLE made (id int)', 'syntax error'],
    ['CREATE TEMPORARY TABLE made (id int)', 'syntax error'],
    ['SELECT * FROM own FOR UPDATE', 'read-only transaction'],
    ["SELECT nextval('counter')", 'read-only transaction'],
    ["COPY own FROM '/etc/passwd'", 'syntax error'],
    ["COPY (SELECT 1) TO PROGRAM 'touch /tmp/made'", 'syntax error'],
    ['DO $$ BEGIN DELETE FROM own; END $$', 'syntax error'],
    ['CALL made()', 'syntax error'],
    ['SET TRANSACTION READ WRITE', 'syntax error'],
    ['SET default_transaction_read_only = off', 'syntax error'],
    ['RESET ALL', 'syntax error'],
    ['COMMIT', 'syntax error'],
    ['COMMIT; BEGIN; DELETE FROM own; COMMIT', 'syntax error'],
    ['SELECT 1; DELETE FROM own', 'multiple commands'],
    ['SELECT 1; COMMIT; DELETE FROM own; COMMIT', 'multiple commands'],
    ['LISTEN made', 'syntax error'],
    ['EXPLAIN ANALYZE SELECT 1', 'syntax error'],
    ['', 'syntax error'],
    [';', 'syntax error'],
    ["SELECT set_config('transaction_read_only', 'off', true)", 'set_config is not taken'],
    ['SELECT pg_advisory_lock(1)', 'pg_advisory_lock is not taken'],
    ["SELECT query_to_xml('SELECT pg_advisory_lock(1)', true, true, '')", 'query_to_xml'],
    ['SELECT pg_terminate_backend(pid) FROM pg_stat_activity', 'pg_terminate_backend is not taken'],
    ['SELECT $1', 'requires 1'],
    ["SELECT pg_read_file('/etc/passwd')", 'permission denied'],
    ["SELECT pg_read_binary_file('PG_VERSION')", 'permission denied'],
    ["SELECT * FROM pg_ls_dir('/')", 'permission denied'],
    ["SELECT lo_import('/etc/passwd')", 'lo_import is not taken'],
    ["SELECT lo_from_bytea(0, 'x')", 'lo_from_bytea is not taken'],
    ['SELECT * FROM pg_authid', 'permission denied'],
    ['SELECT * FROM elsewhere.secrets', 'permission denied for schema elsewhere'],
    ['SELECT * FROM without_right', 'permission denied for table without_right'],
    ['SELECT * FROM nothing', 'relation "nothing" does not exist'],
    ['SELECT 1 / 0', 'division by zero'],
  ])('is refused: %s', async (text, message) => {
    if (text.includes('counter'))
      await run(
        'CREATE SEQUENCE IF NOT EXISTS counter',
        `GRANT USAGE ON SEQUENCE counter TO ${reader}`,
      );
    const before = await marks();
    await expect(read(text)).rejects.toMatchObject(refusal(message));
    expect(await marks()).toEqual(before);
  });

  it('leaves no large object', async () => {
    const before = await marks();
    await read('SELECT lo_create(0)').catch(() => undefined);
    await read("SELECT lo_from_bytea(0, 'x')").catch(() => undefined);
    expect(await marks()).toEqual(before);
  });

  it('cannot write even as a user that may, through a function of its owner', async () => {
    await run(
      `CREATE FUNCTION erase() RETURNS bigint LANGUAGE sql SECURITY DEFINER
         AS 'DELETE FROM ${SCHEMA}.own RETURNING id'`,
      `CREATE FUNCTION escape() RETURNS void LANGUAGE plpgsql
         AS 'BEGIN SET TRANSACTION READ WRITE; DELETE FROM ${SCHEMA}.own; END'`,
      `CREATE FUNCTION "commit"() RETURNS void LANGUAGE plpgsql AS 'BEGIN COMMIT; END'`,
    );
    const before = await marks();
    await expect(read('SELECT erase()')).rejects.toMatchObject(refusal('read-only transaction'));
    await expect(read('SELECT escape()')).rejects.toMatchObject({ kind: 'invalid' });
    await expect(read('SELECT "commit"()')).rejects.toMatchObject({ kind: 'invalid' });
    await run(`GRANT ALL ON own TO ${reader}`);
    try {
      await expect(read('SELECT erase()')).rejects.toMatchObject(refusal('read-only transaction'));
    } finally {
      await run(`REVOKE ALL ON own FROM ${reader}`, `GRANT SELECT ON own TO ${reader}`);
    }
    expect(await marks()).toEqual(before);
  });

  it('has a statement time-out, and no other process of the server', async () => {
    const [row = ''] = await rowsOf(
      `SELECT current_setting('statement_timeout'), current_setting('lock_timeout'),
              current_setting('transaction_read_only'), current_setting('default_transaction_read_only'),
              current_setting('max_parallel_workers_per_gather')`,
    );
    expect(JSON.parse(row)).toEqual(['30s', '10s', 'on', 'on', '0']);
  });

  it('that sleeps ends, on the server too, when nobody waits for it any more', async () => {
    const end = new AbortController();
    const asleep = (): Promise<readonly unknown[]> =>
      written.stage.rows(
        `SELECT pid FROM pg_stat_activity WHERE usename = '${reader}' AND query ~ 'FETCH'`,
      );
    const reading = written.stage
      .cut(reader, end.signal, (warehouse) =>
        warehouse.readStatement({ text: 'SELECT pg_sleep(3600)', maxBytes: MAX_BYTES }),
      )
      .catch((error: unknown) => error);
    while ((await asleep()).length === 0) await setTimeout(20);
    end.abort();
    expect(await reading).toMatchObject({ kind: 'unreachable' });
    while ((await asleep()).length > 0) await setTimeout(20);
  });
});

describe('the rights of a user', () => {
  it.each([
    ['GRANT pg_read_server_files', 'is a member of pg_read_server_files'],
    ['GRANT EXECUTE ON FUNCTION pg_read_file(text)', 'role me may EXECUTE on pg_read_file(text)'],
  ])('say so when it may read files of the server: %s', async (grant, sentence) => {
    await run(`${grant} TO ${reader}`);
    try {
      const rights = await written.stage.as(reader, (warehouse) => warehouse.writingRights());
      expect(rights.map((each) => each.replaceAll(reader, 'me'))).toEqual([sentence]);
    } finally {
      await run(`${grant.replace('GRANT', 'REVOKE')} FROM ${reader}`);
    }
  });
});

describe('the tables', () => {
  it('are those that the user may read, without those of the service', async () => {
    await run(
      'CREATE TABLE partly (seen int, unseen int)',
      `GRANT SELECT (seen) ON partly TO ${reader}`,
    );
    const { tables, isCut } = await written.stage.as(reader, (warehouse) =>
      warehouse.readableTables(),
    );
    expect(isCut).toBe(false);
    expect(tables.map(({ name }) => name)).toEqual([
      'events',
      'identities',
      'own',
      'partly',
      'profiles',
    ]);
    expect(tables.find(({ name }) => name === 'partly')?.columns).toEqual([
      { name: 'seen', type: 'integer' },
    ]);
  });

  it('are cut at five thousand columns, whole tables kept', async () => {
    const wide = (name: string): string =>
      `CREATE TABLE ${name} (${Array.from({ length: 1_500 }, (_, n) => `c${String(n)} int`).join(', ')})`;
    const names = ['z1', 'z2', 'z3', 'z4'];
    await run(...names.map(wide), `GRANT SELECT ON ${names.join(', ')} TO ${reader}`);
    const { tables, isCut } = await written.stage.as(reader, (warehouse) =>
      warehouse.readableTables(),
    );
    expect(isCut).toBe(true);
    expect(tables.at(-1)?.name).toBe('z3');
    expect(tables.every(({ columns }) => columns.length > 0)).toBe(true);
  });
});

describe('work while a warehouse is readable', () => {
  const readable = <T>(
    work: (ended: AbortSignal) => Promise<T>,
    { workspace = MINE, epoch = 1 }: { workspace?: WorkspaceId; epoch?: number } = {},
  ) =>
    written.stage.as(written.loader, (warehouse) =>
      warehouse.whileReadable({ workspace, epoch }, work),
    );
  const keepOut = (epoch: number, graceMs: number) =>
    written.stage.as(written.loader, (warehouse) =>
      warehouse.keepReadersOut(MINE, { epoch, graceMs }),
    );

  it('is done, and what it throws is thrown', async () => {
    expect(await readable(() => Promise.resolve(5))).toBe(5);
    const own = new RangeError('own');
    await expect(readable(() => Promise.reject(own))).rejects.toBe(own);
  });

  it('is not begun in the warehouse of another workspace', async () => {
    await expect(
      readable(() => Promise.resolve(), { workspace: 'another' as WorkspaceId }),
    ).rejects.toMatchObject({ kind: 'foreign' });
  });

  it('is waited for by those who keep readers out', async () => {
    let isDone = false;
    let begun: (() => void) | undefined;
    const hasBegun = new Promise<void>((resolve) => (begun = resolve));
    const working = readable(async () => {
      begun?.();
      await setTimeout(300);
      isDone = true;
    });
    await hasBegun;
    await keepOut(1, 30_000);
    expect(isDone).toBe(true);
    await working;
  });

  it('is told to end when their grace is over, and not begun afterwards', async () => {
    const end = new AbortController();
    let begun: (() => void) | undefined;
    const hasBegun = new Promise<void>((resolve) => (begun = resolve));
    const working = readable(async (ended) => {
      begun?.();
      await written.stage.cut(reader, AbortSignal.any([ended, end.signal]), (warehouse) =>
        warehouse.readStatement({ text: 'SELECT pg_sleep(3600)', maxBytes: MAX_BYTES }),
      );
    });
    const outcome = working.catch((error: unknown) => error);
    await hasBegun;
    await keepOut(2, 100);
    expect(await outcome).toMatchObject({ kind: 'unreachable' });
    await expect(readable(() => Promise.resolve())).rejects.toMatchObject({ kind: 'fenced' });
    expect(await readable(() => Promise.resolve(1), { epoch: 2 })).toBe(1);
  });
});

it('names no password', async () => {
  await expect(read(`SELECT '${PASSWORD}'::int`)).rejects.not.toMatchObject({
    message: expect.stringContaining(PASSWORD) as string,
  });
});
