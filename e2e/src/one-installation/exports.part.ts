import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EmbeddedPostgres } from '@penstock/embedded-postgres';
import type { LocalMariadb } from '@penstock/local-mariadb';
import { createConnection } from 'mysql2/promise';
import { Client } from 'pg';
import type { ApiClient } from '../harness/api-client';
import { until } from '../harness/until';
import { sized } from '../router-faults/sizes';
import type { Place, Survivor } from './place';

/** Profiles that are exported. */
const PROFILES = sized(1_000, 2_000);

/** A user of the file from which the profiles come. */
interface User {
  readonly email: string;
  readonly name: string;
}

/** Names repeat, so that files have equal ones in their order. */
const users: readonly User[] = Array.from({ length: PROFILES }, (_, n) => ({
  email: `u${String((n * 7_919) % 99_991)}@example.com`,
  name: `name ${String(n % 17)}`,
}));

const isExported = ({ name }: User): boolean => name !== 'name 5';
const kept = users.filter(isExported);

const FILTER = {
  logical: 'and',
  conditions: [{ property: 'first_name', operator: 'is not', values: ['name 5'] }],
};

let root: string;
let api: ApiClient;
let mariadb: LocalMariadb;
let postgres: EmbeddedPostgres;
/** A session at {@link postgres}. */
let crm: Client;
let files: string;

interface Run {
  readonly status: string;
  readonly incremental: boolean | null;
  readonly passed: readonly number[];
  readonly failed: readonly number[];
  readonly error: string;
  readonly attempt: number;
  readonly progress: { readonly passed: readonly number[] } | null;
}

const connect = (
  role: 'Source' | 'Destination',
  connector: string,
  settings: object,
): Promise<string> =>
  api.createConnection({
    ...{ name: connector, role, connector },
    settings: settings as Readonly<Record<string, unknown>>,
  });

const text = (name: string, flags: object = { readOptional: true }) => ({
  ...{ name, type: { kind: 'string' } },
  ...flags,
});

const IN_SCHEMA = { kind: 'object', properties: [text('email'), text('first_name')] };

const createPipeline = async (members: object): Promise<string> => {
  const common = { name: 'P', target: 'User', enabled: true };
  const { id } = (await api.call('POST', '/v1/pipelines', { ...common, ...members })) as {
    id: string;
  };
  return id;
};

const start = async (pipeline: string): Promise<string> => {
  const run = (await api.call('POST', `/v1/pipelines/${pipeline}/runs`)) as { id: string };
  return run.id;
};

const runOf = async (id: string): Promise<Run> =>
  (await api.call('GET', `/v1/pipelines/runs/${id}`)) as Run;

const ended = async (id: string): Promise<Run> => {
  await until('the run has ended', async () => {
    try {
      return (await runOf(id)).progress === null;
    } catch {
      return false;
    }
  });
  return runOf(id);
};

/** Makes profiles of the users. */
const importUsers = async (): Promise<void> => {
  const lines = users.map(({ email, name }, n) => `${String(n)},${email},${name}`);
  writeFileSync(join(root, 'profiles.csv'), ['id,email,name', ...lines, ''].join('\n'));
  const pipeline = await createPipeline({
    connection: await connect('Source', 'filesystem', {}),
    ...{ format: 'csv', path: 'profiles.csv', formatSettings: { hasColumnNames: true } },
    ...{ userIDColumn: 'id' },
    transformation: { mapping: { email: 'email', first_name: 'name' } },
    inSchema: { kind: 'object', properties: [text('id', {}), text('email', {}), text('name', {})] },
    outSchema: IN_SCHEMA,
  });
  expect(await ended(await start(pipeline))).toMatchObject({ status: 'Succeeded' });
  await until('all identities have a profile', async () => {
    const list = (await api.call('GET', '/v1/profiles?limit=1&count=true')) as { total: number };
    const latest = (await api.call('GET', '/v1/identity-resolution/latest')) as {
      readonly endTime: string | null;
      readonly pending: number;
    };
    return list.total === PROFILES && latest.endTime !== null && latest.pending === 0;
  });
};

const toFile = (members: object = {}): Promise<string> =>
  createPipeline({
    ...{ connection: files, format: 'csv', path: 'out.csv', orderBy: 'email', filter: FILTER },
    inSchema: IN_SCHEMA,
    ...members,
  });

const byEmail = (one: User, other: User): number => (one.email < other.email ? -1 : 1);

const CSV = [
  'email,first_name',
  ...[...kept].sort(byEmail).map(({ email, name }) => `${email},${name}`),
  '',
].join('\n');

const FILE_TOTALS = {
  passed: [PROFILES, PROFILES, kept.length, 0, 0, kept.length],
  failed: [0, 0, PROFILES - kept.length, 0, 0, 0],
};

const ROW_TOTALS = {
  passed: [PROFILES, PROFILES, kept.length, kept.length, kept.length, kept.length],
  failed: FILE_TOTALS.failed,
};

/** A pipeline that exports to the table `people`, whose columns are looked up. */
const toTable = async (connector: string, settings: object): Promise<string> => {
  const connection = await connect('Destination', connector, settings);
  const { schema } = (await api.call(
    'GET',
    `/v1/connections/${connection}/tables?name=people`,
  )) as {
    readonly schema: {
      readonly properties: readonly { readonly name: string; readonly type: object }[];
    };
  };
  const typeOf = (name: string) => schema.properties.find((each) => each.name === name)?.type;
  return createPipeline({
    ...{ connection, tableName: 'people', tableKey: 'mail', filter: FILTER },
    inSchema: IN_SCHEMA,
    transformation: { mapping: { mail: 'email', name: 'first_name' } },
    outSchema: {
      kind: 'object',
      properties: [
        { name: 'mail', type: typeOf('mail'), createRequired: true },
        { name: 'name', type: typeOf('name'), nullable: true },
      ],
    },
  });
};

const postgresSettings = () => {
  const { hostname: host, port, username, password, pathname } = new URL(postgres.url);
  return {
    ...{ host, port: Number(port), username, password: decodeURIComponent(password) },
    ...{ database: pathname.slice(1), schema: 'public' },
  };
};

const expectedRows = kept.map(({ email, name }) => [email, name]).sort();

/** Exports of profiles to files and databases. */
export const exportsOfProfiles = (place: () => Place): Survivor => {
  let runs: readonly string[];

  beforeAll(async () => {
    ({ root, mariadb, postgres } = place());
    ({ api } = await place().newWorkspace('Exports'));
    crm = new Client({ connectionString: postgres.url });
    await crm.connect();
    await crm.query('CREATE TABLE people (mail text PRIMARY KEY, name text, note text)');
    files = await connect('Destination', 'filesystem', {});
    await importUsers();
  });

  afterAll(() => crm.end());

  describe('exports', () => {
    it('profiles become a file, in its order, and a table of each database, as they are counted', async () => {
      const file = await ended(await start(await toFile()));
      expect(file).toMatchObject({ status: 'Succeeded', incremental: null, ...FILE_TOTALS });
      expect(readFileSync(join(root, 'out.csv'), 'utf8')).toBe(CSV);

      const rows = await ended(await start(await toTable('postgresql', postgresSettings())));
      expect(rows).toMatchObject({ status: 'Succeeded', incremental: null, ...ROW_TOTALS });
      const found = await crm.query<[string, string]>({
        text: 'SELECT mail, name FROM people ORDER BY mail COLLATE "C"',
        rowMode: 'array',
      });
      expect(found.rows).toEqual(expectedRows);

      const { port, username, password, database } = mariadb;
      const client = await createConnection({
        ...{ host: '127.0.0.1', port, user: username, password, database, rowsAsArray: true },
      });
      await client.query(
        'CREATE TABLE people (mail varchar(100) COLLATE utf8mb4_bin PRIMARY KEY, name varchar(50)) CHARSET utf8mb4',
      );
      const settings = { host: '127.0.0.1', port, username, password, database, tls: 'disabled' };
      const others = await ended(await start(await toTable('mysql', settings)));
      expect(others).toMatchObject({ status: 'Succeeded', ...ROW_TOTALS });
      const [merged] = await client.query('SELECT mail, name FROM people ORDER BY mail');
      await client.end();
      expect(merged).toEqual(expectedRows);
    });

    it('a Parquet file has the same profiles, by their types', async () => {
      const pipeline = await toFile({ format: 'parquet', path: 'out.parquet' });
      expect(await ended(await start(pipeline))).toMatchObject({
        status: 'Succeeded',
        ...FILE_TOTALS,
      });
      const source = await connect('Source', 'filesystem', {});
      const answer = (await api.call(
        'GET',
        `/v1/connections/${source}/files?path=out.parquet&format=parquet&limit=100`,
      )) as { readonly records: readonly object[] };
      expect(answer.records).toEqual(
        [...kept]
          .sort(byEmail)
          .slice(0, 100)
          .map(({ email, name: first_name }) => ({ email, first_name })),
      );
    });
  });

  return {
    what: 'profiles become rows of a table, and lines of a file, once',
    begin: async () => {
      await crm.query('TRUNCATE people');
      // No row is written while this session has the lock.
      await crm.query(`
    CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_advisory_xact_lock_shared(1); RETURN new; END $$;
    CREATE TRIGGER wait BEFORE INSERT ON people FOR EACH ROW EXECUTE FUNCTION wait()`);
      await crm.query('SELECT pg_advisory_lock(1)');
      writeFileSync(join(root, 'killed.csv'), 'as it was');
      runs = [
        await start(await toTable('postgresql', postgresSettings())),
        await start(await toFile({ path: 'killed.csv', orderBy: 'first_name' })),
      ];
      await until('rows are being written', async () => {
        const { rows } = await crm.query<{ waiting: boolean }>(
          "SELECT count(*) > 0 AS waiting FROM pg_locks WHERE locktype = 'advisory' AND NOT granted",
        );
        return rows[0]?.waiting === true;
      });
    },
    end: async () => {
      await crm.query('SELECT pg_advisory_unlock(1)');
      const [rows, file] = await Promise.all(runs.map(ended));
      expect(rows).toMatchObject({ status: 'Succeeded', ...ROW_TOTALS });
      expect(file).toMatchObject({ status: 'Succeeded', ...FILE_TOTALS });
      const found = await crm.query<[string, string]>({
        text: 'SELECT mail, name FROM people ORDER BY mail COLLATE "C"',
        rowMode: 'array',
      });
      expect(found.rows).toEqual(expectedRows);
      const lines = readFileSync(join(root, 'killed.csv'), 'utf8').trimEnd().split('\n').slice(1);
      expect(lines.map((line) => line.split(',')).sort()).toEqual(expectedRows);
      expect(lines.map((line) => line.split(',')[1])).toEqual(kept.map(({ name }) => name).sort());
    },
  };
};
