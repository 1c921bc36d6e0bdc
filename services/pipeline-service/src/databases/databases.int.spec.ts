import { startMariadb } from '@penstock/local-mariadb';
import { newId } from '@penstock/runtime';
import type { ConnectionId, WorkspaceId } from '@penstock/contracts';
import { Client } from 'pg';
import { aWriteKey, Installation } from '../testing/installation.fixture';

jest.setTimeout(60_000);

let installation: Installation;
let elsewhere: WorkspaceId;
let connection: ConnectionId;
let owner: Client;

const settings = (changes: object = {}): object => {
  const { hostname, port, pathname, username, password } = new URL(installation.databaseUrl);
  return {
    host: hostname,
    port: Number(port),
    username,
    password: decodeURIComponent(password),
    database: pathname.slice(1),
    schema: 'crm',
    ...changes,
  };
};

const source = (changes: object = {}, context = {}) =>
  installation.source(
    { connector: 'postgresql', settings: installation.sealed(settings(changes)) },
    context,
  );

beforeAll(async () => {
  installation = await Installation.open();
  owner = new Client({ connectionString: installation.databaseUrl });
  await owner.connect();
  await owner.query('CREATE SCHEMA crm');
  await owner.query(
    'CREATE TABLE crm.people (id bigint PRIMARY KEY, "full name" text NOT NULL, photo bytea)',
  );
  await owner.query(
    "INSERT INTO crm.people SELECT n, 'person ' || n, NULL FROM generate_series(9223372036854775001, 9223372036854775300) AS s (n)",
  );
  await installation.start();
  elsewhere = await installation.bareWorkspace();
  connection = await source();
});
afterAll(async () => {
  await owner.end();
  await installation.close();
});

const query = (text: string, limit = 2, id: string = connection, context = {}) =>
  installation.query('QueryDatabase', { connection: id, query: text, limit }, context);
const columns = (name: string, id: string = connection, context = {}) =>
  installation.query('GetTableColumns', { connection: id, name }, context);

describe('a query', () => {
  it('gives its columns and its first rows', async () => {
    const { rows, schema, issues } = await query('SELECT * FROM people ORDER BY id');
    expect(rows).toEqual([
      '{"id":9223372036854775001,"full_name":"person 9223372036854775001"}',
      '{"id":9223372036854775002,"full_name":"person 9223372036854775002"}',
    ]);
    expect(JSON.parse(schema)).toMatchObject({
      properties: [
        { name: 'id', type: { kind: 'int', bitSize: 64 } },
        { name: 'full_name', type: { kind: 'string' } },
      ],
    });
    expect(issues).toEqual(['column 3 ("photo") is left out: type bytea is not supported']);
  });

  it('has its limit and no time in the place of its placeholders', async () => {
    const text = 'SELECT ${limit} AS n, ${updated_at}::timestamptz AS t FROM people LIMIT ${limit}';
    expect((await query(text, 1)).rows).toEqual(['{"n":1,"t":null}']);
    expect((await query(text, 0)).rows).toEqual([]);
    expect((await query(text, 100)).rows).toHaveLength(100);
  });

  it('names rows with an error, and goes on', async () => {
    const text =
      "SELECT n::numeric(20,2) / 4 AS n, CASE WHEN n = 2 THEN 'infinity'::date END AS d FROM generate_series(1, 3) AS s (n)";
    expect(await query(text, 3)).toMatchObject({
      rows: ['{"n":0.25,"d":null}', '{"n":0.75,"d":null}'],
      issues: ['row 2: column "d" is not a day of the years 1 to 9999'],
    });
  });

  it('has as many rows as fit into an answer', async () => {
    const { rows, issues } = await query("SELECT repeat('x', 100000) AS x FROM people", 100);
    expect(rows.length).toBeGreaterThan(1);
    expect(rows.length).toBeLessThan(8);
    expect(issues).toEqual([
      `row ${String(rows.length + 1)} and those after it do not fit into an answer`,
    ]);
  });

  it.each([
    ['SELEC', 'InvalidQuery', 'query is not valid: syntax error at or near "SELEC"'],
    [
      'DELETE FROM people',
      'InvalidQuery',
      'query is not valid: cannot execute DELETE in a read-only transaction',
    ],
    [
      'SELECT ${now}',
      'InvalidPlaceholder',
      'placeholder does not exist: ${now}: there are only ${updated_at} and ${limit}',
    ],
  ])('is refused: %s', async (text, code, message) => {
    await expect(query(text)).rejects.toMatchObject({ code, message });
  });
});

describe('the columns of a table', () => {
  it('are listed', async () => {
    const { schema, issues } = await columns('people');
    expect(JSON.parse(schema)).toMatchObject({
      properties: [
        { name: 'id', createRequired: true },
        { name: 'full_name', createRequired: true },
      ],
    });
    expect(issues).toEqual(['column 3 ("photo") is left out: type bytea is not supported']);
  });

  it('are none of a table that is not there', async () => {
    await expect(columns('pg_class')).rejects.toMatchObject({
      code: 'TableNotExist',
      message: 'table does not exist: there is no such table in the schema crm',
    });
  });
});

it.each([
  ['a query', (id: string, context?: object) => query('SELECT 1 AS n', 1, id, context)],
  ['columns', (id: string, context?: object) => columns('people', id, context)],
] as const)(
  'there is not %s of what is no database, or not there, or elsewhere',
  async (_, ask) => {
    const absent = { code: 'ConnectionNotExist', kind: 'absent' };
    await expect(ask('no\0')).rejects.toMatchObject(absent);
    await expect(ask(newId())).rejects.toMatchObject(absent);
    await expect(ask(connection, { workspace: elsewhere })).rejects.toMatchObject(absent);
    for (const other of [await installation.source(), await installation.destination()])
      await expect(ask(other)).rejects.toMatchObject({
        code: 'BadRequest',
        details: [{ path: '/id' }],
      });
  },
);

describe('a connection', () => {
  const count = async (): Promise<number> => {
    const { rows } = await owner.query<{ n: number }>(
      'SELECT count(*)::int AS n FROM penstock.connections',
    );
    return rows[0]?.n ?? NaN;
  };

  it.each<[object, string, object]>([
    [{ password: 'wrong' }, 'InvalidSettings', { details: [{ path: '/settings' }] }],
    [
      { schema: 'nothing' },
      'InvalidSettings',
      { details: [{ path: '/settings', message: 'schema does not exist' }] },
    ],
    [
      { port: 1 },
      'ServiceUnavailable',
      { message: 'service is unavailable: the database: connection was refused' },
    ],
    [
      { host: '10.0.0.1' },
      'InvalidSettings',
      { details: [{ path: '/settings', message: 'address is not allowed by the egress rules' }] },
    ],
    [{ host: 1 }, 'InvalidSettings', { details: [{ path: '/settings/host' }] }],
  ])('is not created with settings that do not work: %j', async (changes, code, more) => {
    const before = await count();
    await expect(source(changes)).rejects.toMatchObject({ code, ...more });
    await expect(source(changes, { isDryRun: true })).rejects.toMatchObject({ code, ...more });
    expect(await count()).toBe(before);
  });

  it('is not changed to settings that do not work', async () => {
    const id = await source();
    const update = (changes: object) =>
      installation.command('UpdateConnection', {
        id,
        name: 'Other',
        settings: installation.sealed(settings(changes)),
      });
    await expect(update({ password: 'wrong' })).rejects.toMatchObject({ code: 'InvalidSettings' });
    await expect(update({ port: 1 })).rejects.toMatchObject({ code: 'ServiceUnavailable' });
    await expect(update({ sslMode: 'disable' })).resolves.toEqual({});
    await expect(installation.command('UpdateConnection', { id, name: 'A' })).resolves.toEqual({});
    expect((await query('SELECT 1 AS n', 1, id)).rows).toEqual(['{"n":1}']);
  });

  it('that is not there is not tried', async () => {
    await expect(
      installation.command('UpdateConnection', {
        id: newId(),
        name: 'A',
        settings: installation.sealed(settings({ port: 1 })),
      }),
    ).rejects.toMatchObject({ code: 'ConnectionNotExist' });
  });

  it('as a destination shows the columns of its tables, and is not queried', async () => {
    const id = await installation.destination({
      connector: 'postgresql',
      settings: installation.sealed(settings()),
    });
    expect((await columns('people', id)).schema).toContain('"full_name"');
    await expect(query('SELECT 1', 1, id)).rejects.toMatchObject({
      code: 'BadRequest',
      details: [{ path: '/id', message: 'is no connection with a database that is read' }],
    });
  });

  it('is answered again with its first answer, whatever has become of the server', async () => {
    const server = await startMariadb();
    const { port, username, password, database } = server;
    const given = { host: '127.0.0.1', port, username, password, database };
    const create = () =>
      installation.command(
        'CreateConnection',
        {
          id: id as ConnectionId,
          name: 'MySQL',
          role: 'Source',
          connector: 'mysql',
          settings: installation.sealed(given),
          sendingMode: null,
          linkedConnections: [],
          writeKey: aWriteKey(installation.workspace),
        },
        { commandId: 'the same command' },
      );
    const id = newId();
    try {
      expect(await create()).toEqual({ id });
      expect((await query('SELECT 1 AS n', 1, id)).rows).toEqual(['{"n":1}']);
    } finally {
      await server.stop();
    }
    expect(await create()).toEqual({ id });
    await expect(query('SELECT 1 AS n', 1, id)).rejects.toMatchObject({
      code: 'ServiceUnavailable',
      message: 'service is unavailable: the database: connection was refused',
    });
  });
});
