import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@penstock/embedded-postgres';
import { Client } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { Api } from './api';
import { API_KEY, makeFolder, type Measured, startDistributed } from './installations';
import { measureRun } from './measure-run';
import { cpuMicrosEach, peakMiB, usage } from './process-usage';
import { cells, heading, option, print } from './table';

const ROWS = option('rows', 100_000);

const COLUMNS = 'mail text PRIMARY KEY, first_name text, last_name text';

const PROFILES = `
INSERT INTO warehouse._profiles (_profile_id, _identities, email, first_name, last_name)
SELECT gen_random_uuid(), 1, 'user' || n || '@example.com', 'First ' || n % 997, 'Last, of ' || n
  FROM generate_series(1, $1::bigint) n`;

const property = (name: string, flags: object = { readOptional: true }) => ({
  ...{ name, type: { kind: 'string' } },
  ...flags,
});

const IN_SCHEMA = {
  kind: 'object',
  properties: ['email', 'first_name', 'last_name'].map((name) => property(name)),
};

const TO_TABLE = {
  ...{ tableName: 'people', tableKey: 'mail' },
  transformation: {
    mapping: { mail: 'lower(email)', first_name: 'first_name', last_name: 'last_name' },
  },
  outSchema: {
    kind: 'object',
    properties: [
      property('mail', { createRequired: true }),
      property('first_name', { nullable: true }),
      property('last_name', { nullable: true }),
    ],
  },
};

const toFile = (format: string) => ({
  ...{ format, path: `people.${format}`, orderBy: 'email' },
  ...(format === 'excel' && { sheet: 'people' }),
});

/** Copies the profiles out of the warehouse, and into a table with a key. @returns rows per second. */
const measureCopy = async (...urls: readonly [from: string, to: string]): Promise<number> => {
  const clients = urls.map((connectionString) => new Client({ connectionString }));
  const [source, target] = clients;
  if (source === undefined || target === undefined) throw new Error('no clients');
  await Promise.all(clients.map((each) => each.connect()));
  await target.query(`CREATE TABLE crm.copied (${COLUMNS})`);
  const startMs = performance.now();
  await pipeline(
    source.query(
      copyTo('COPY (SELECT email, first_name, last_name FROM warehouse._profiles) TO STDOUT'),
    ),
    target.query(copyFrom('COPY crm.copied FROM STDIN')),
  );
  const rate = (ROWS * 1_000) / (performance.now() - startMs);
  await Promise.all(clients.map((each) => each.end()));
  return rate;
};

const connect = async (
  api: Api,
  connector: string,
  settings: Readonly<Record<string, unknown>>,
): Promise<string> => {
  const wanted = { name: connector, role: 'Destination', connector, settings };
  return (await api.post<{ id: string }>('/v1/connections', wanted)).id;
};

const databaseSettings = (databaseUrl: string) => {
  const { hostname, port, username, password, pathname } = new URL(databaseUrl);
  return {
    ...{ host: hostname, port: Number(port), username, password: decodeURIComponent(password) },
    ...{ database: pathname.slice(1), schema: 'crm', sslMode: 'disable' },
  };
};

/** Runs statements, one after the other. */
const execute = async (
  url: string,
  ...statements: readonly (readonly [text: string, ...values: number[]])[]
): Promise<void> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  for (const [text, ...values] of statements) await client.query(text, values);
  await client.end();
};

const measureOn = async (
  { port, databaseUrl, ...measured }: Measured,
  target: EmbeddedPostgres,
): Promise<void> => {
  const processes = new Map(
    ['run-executor', 'postgres'].map((name) => [name, measured.processes.get(name) ?? 0]),
  ).set('target', target.pid);
  await execute(target.url, ['CREATE SCHEMA crm'], [`CREATE TABLE crm.people (${COLUMNS})`]);
  await execute(databaseUrl, [PROFILES, ROWS], ['VACUUM ANALYZE warehouse._profiles']);
  const address = `http://127.0.0.1:${String(port)}`;
  const { workspaces } = await new Api(address, API_KEY).get<{ workspaces: { id: string }[] }>(
    '/v1/workspaces',
  );
  const api = new Api(address, API_KEY, workspaces[0]?.id);
  const database = await connect(api, 'postgresql', databaseSettings(target.url));
  const files = await connect(api, 'filesystem', {});
  const kinds: readonly (readonly [string, string, object])[] = [
    ['table of PostgreSQL', database, TO_TABLE],
    ['the same again', database, TO_TABLE],
    ...['csv', 'json', 'parquet', 'excel'].map(
      (format) => [format, files, toFile(format)] as const,
    ),
  ];
  const executor = processes.get('run-executor') ?? 0;
  print(
    heading(
      ...['export to', 'rows/s', 'of COPY', 'first progress ms', 'executor peak MiB'],
      'CPU µs a row',
    ),
  );
  const copied = await measureCopy(databaseUrl, target.url);
  print(cells('COPY', copied, '1', '', '', ''));
  for (const [name, connection, members] of kinds) {
    const { id } = await api.post<{ id: string }>('/v1/pipelines', {
      ...{ name, connection, target: 'User', enabled: true, inSchema: IN_SCHEMA },
      ...members,
    });
    const before = usage(processes);
    const { rate, firstMs } = await measureRun(api, id, ROWS);
    const cpu = cpuMicrosEach(before, usage(processes), ROWS);
    print(cells(name, rate, (rate / copied).toFixed(3), firstMs, peakMiB(executor), cpu));
  }
};

/**
 * Measures whole exports of `--rows` (100,000) profiles to a table of another PostgreSQL and to files, beside COPY of the same
 * profiles into a table with a key.
 */
export const measureExports = async (): Promise<void> => {
  const root = await mkdtemp(join(tmpdir(), 'penstock-bench-files-'));
  const installation = await startDistributed(1, { PENSTOCK_FILES_ROOT: root }, true);
  const folder = await makeFolder();
  const target = await startEmbeddedPostgres({ dataDir: join(folder, 'data') });
  try {
    await measureOn(installation, target);
  } finally {
    await installation.stop();
    await target.stop();
    for (const each of [root, folder]) await rm(each, { recursive: true, force: true });
  }
};
