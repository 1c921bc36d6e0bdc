import type { EmbeddedPostgres } from '@penstock/embedded-postgres';
import type { LocalMariadb } from '@penstock/local-mariadb';
import { createConnection } from 'mysql2/promise';
import { Client } from 'pg';
import type { ApiClient } from '../harness/api-client';
import { type Installation, showingOutput } from '../harness/installation';
import { until } from '../harness/until';
import { sized } from '../router-faults/sizes';
import type { Place, Survivor } from './place';

const USERS = sized(4_000, 10_000);
const ADDED = 50;
/** Every so many users the servers rest, so that a run lasts some seconds. */
const REST = sized(500, 1_000);
/** Minutes of the shortest schedule. */
const PERIOD = 5;
const MINUTE_MS = 60_000;

let installation: Installation;
let api: ApiClient;
let server: LocalMariadb;
/** The PostgreSQL of the users, beside that of the installation. */
let postgres: EmbeddedPostgres;

interface Run {
  readonly id: string;
  readonly status: string;
  readonly incremental: boolean;
  readonly passed: readonly number[];
  readonly failed: readonly number[];
  readonly error: string;
  readonly purged: number;
  readonly progress: { readonly passed: readonly number[] } | null;
}

/** A database as the source of users, whose table changes as `USERS`, `added` and `changed` say. */
interface Source {
  readonly connector: string;
  readonly settings: object;
  readonly query: string;
  /** Whether a column of a query that is the key of its table may hold NULL, as far as the server says. */
  readonly isKeyNullable: boolean;
}

const property = (name: string, type: object, flags: object = {}) => ({ name, type, ...flags });

const createPipeline = async ({
  connector,
  settings,
  query,
  isKeyNullable,
}: Source): Promise<string> => {
  const connection = await api.createConnection({
    ...{ name: connector, role: 'Source', connector },
    settings: settings as Readonly<Record<string, unknown>>,
  });
  const text = { kind: 'string', maxLength: 60 };
  const { id } = (await api.call('POST', '/v1/pipelines', {
    ...{ name: 'Users', target: 'User', enabled: true, connection, query, incremental: true },
    ...{ userIDColumn: 'id', updatedAtColumn: 'updated_at' },
    transformation: { mapping: { email: 'lower(email)', first_name: 'name' } },
    inSchema: {
      kind: 'object',
      properties: [
        property('id', { kind: 'int', bitSize: 32 }, isKeyNullable ? { nullable: true } : {}),
        property('email', text, { nullable: true }),
        property('name', text, { nullable: true }),
        property('updated_at', { kind: 'datetime' }, { nullable: true }),
      ],
    },
    outSchema: {
      kind: 'object',
      properties: ['email', 'first_name'].map((name) =>
        property(name, { kind: 'string' }, { readOptional: true }),
      ),
    },
  })) as { readonly id: string };
  return id;
};

const start = async (pipeline: string, body?: object): Promise<string> =>
  ((await api.call('POST', `/v1/pipelines/${pipeline}/runs`, body)) as { readonly id: string }).id;

const get = async (run: string): Promise<Run> =>
  (await api.call('GET', `/v1/pipelines/runs/${run}`)) as Run;

const ended = async (run: string): Promise<Run> => {
  await until('the run has ended', async () => (await get(run)).progress === null);
  return get(run);
};

const begun = (run: string): Promise<void> =>
  until('some batches are settled', async () => {
    const { progress } = await get(run);
    return (progress?.passed[0] ?? USERS) >= REST;
  });

/** Rows of the warehouse that a pipeline has written, by the id of their record. */
const identities = async (pipeline: string): Promise<Map<string, string>> => {
  const client = new Client({ connectionString: installation.databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ id: string; row: string }>(
      `SELECT _record_id AS id, concat_ws('|', email, coalesce(first_name, '-')) AS row
       FROM warehouse._identities WHERE _pipeline = $1`,
      [pipeline],
    );
    return new Map(rows.map(({ id, row }) => [id, row]));
  } finally {
    await client.end();
  }
};

/** What the warehouse has to hold, computed without the databases. */
const expected = (to: number, changed: number, without = 0): Map<string, string> => {
  const users = new Map<string, string>();
  for (let n = without + 1; n <= to; n += 1) {
    const name = n % 7 === 0 ? '-' : `Name ${String(n)}`;
    users.set(String(n), `user${String(n)}@example.com|${n <= changed ? 'Changed' : name}`);
  }
  return users;
};

const user = (n: string, text: string): string =>
  `SELECT ${n}, ${text}, CASE WHEN ${n} % 7 = 0 THEN NULL ELSE`;

const inPostgres = async (...statements: readonly string[]): Promise<void> => {
  const client = new Client({ connectionString: postgres.url });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
};

const inMariadb = async (...statements: readonly string[]): Promise<void> => {
  const { port, username, password, database } = server;
  const connection = await createConnection({
    ...{ host: '127.0.0.1', port, user: username, password, database },
  });
  for (const statement of statements) await connection.query(statement);
  await connection.end();
};

const postgresql = (): Source => {
  const { hostname, port, username, password, pathname } = new URL(postgres.url);
  return {
    connector: 'postgresql',
    settings: {
      ...{ host: hostname, port: Number(port), username, password: decodeURIComponent(password) },
      ...{ database: pathname.slice(1), schema: 'crm', sslMode: 'disable' },
    },
    query: `SELECT id, email, name, updated_at,
        CASE WHEN id % ${String(REST)} = 0 THEN pg_sleep(0.2) IS NULL END AS rests FROM users
      WHERE \${updated_at} IS NULL OR updated_at >= \${updated_at} LIMIT \${limit}`,
    isKeyNullable: true,
  };
};

const mariadb = (): Source => {
  const { port, username, password, database } = server;
  return {
    connector: 'mysql',
    settings: { host: '127.0.0.1', port, username, password, database },
    query: `SELECT id, email, name, updated_at, SLEEP(IF(id % ${String(REST)} = 0, 0.2, 0)) AS rests
      FROM users`,
    isKeyNullable: false,
  };
};

/** Sets a schedule whose next slot is the next minute; the minute of a schedule is drawn when it is set. */
const schedule = async (pipeline: string): Promise<void> => {
  for (;;) {
    await api.call('PUT', `/v1/pipelines/${pipeline}/schedule`, { period: null });
    await api.call('PUT', `/v1/pipelines/${pipeline}/schedule`, { period: '5m' });
    const { scheduleStart } = (await api.call('GET', `/v1/pipelines/${pipeline}`)) as {
      readonly scheduleStart: number;
    };
    const next = Math.floor(Date.now() / MINUTE_MS) + 1;
    if ((next - scheduleStart) % PERIOD === 0) return;
  }
};

const newest = async (pipeline: string): Promise<Run | undefined> => {
  const { runs } = (await api.call('GET', `/v1/pipelines/runs?pipeline=${pipeline}&limit=1`)) as {
    readonly runs: readonly Run[];
  };
  return runs[0];
};

const SUCCEEDED = { status: 'Succeeded', error: '' };

let scheduled = '';

/** Imports of tables. */
export const databaseImports = (
  place: () => Place,
): Survivor & {
  /** Defines the test of the schedule, which begins a run within a minute of {@link end}. */
  readonly afterwards: () => void;
} => {
  let killedRun: string;

  beforeAll(() => {
    ({ installation, postgres, mariadb: server } = place());
    ({ api } = place().first);
  });

  describe('imports of tables', () => {
    it('imports a table of MariaDB, though the server is killed and comes again, and what has changed', () =>
      showingOutput(
        () => installation,
        async () => {
          const name = "CONCAT('Name ', seq) END";
          const email = "CONCAT('User', seq, '@Example.COM')";
          await inMariadb(
            'CREATE TABLE users (id int PRIMARY KEY, email varchar(60), name varchar(60), updated_at datetime(6))',
            `INSERT INTO users ${user('seq', email)} ${name}, UTC_TIMESTAMP(6) - INTERVAL 1 DAY
           FROM seq_1_to_${String(USERS)}`,
          );
          const pipeline = await createPipeline(mariadb());
          const run = await start(pipeline);
          await begun(run);
          await server.kill();
          await server.restart();
          expect(await ended(run)).toMatchObject({ ...SUCCEEDED, incremental: false, purged: 0 });
          expect(await identities(pipeline)).toEqual(expected(USERS, 0));

          await inMariadb(
            `INSERT INTO users ${user('seq', email)} ${name}, UTC_TIMESTAMP(6) - INTERVAL 1 HOUR
           FROM seq_${String(USERS + 1)}_to_${String(USERS + ADDED)}`,
            "UPDATE users SET name = 'Changed', updated_at = UTC_TIMESTAMP(6) - INTERVAL 1 HOUR WHERE id <= 100",
          );
          const second = await ended(await start(pipeline));
          expect(second).toMatchObject({ ...SUCCEEDED, incremental: true, purged: 0 });
          expect(await identities(pipeline)).toEqual(expected(USERS + ADDED, 100));
        },
      )());
  });

  return {
    what: 'a table of PostgreSQL is imported, then what has changed, and what is gone is purged',
    begin: async () => {
      await inPostgres(
        'CREATE SCHEMA crm',
        'CREATE TABLE crm.users (id int PRIMARY KEY, email varchar(60), name varchar(60), updated_at timestamptz)',
        `INSERT INTO crm.users ${user('n', "'User' || n || '@Example.COM'")} 'Name ' || n END,
           now() - interval '1 day' FROM generate_series(1, ${String(USERS)}) AS s (n)`,
      );
      scheduled = await createPipeline(postgresql());
      killedRun = await start(scheduled);
      await begun(killedRun);
    },
    end: async () => {
      expect(await ended(killedRun)).toMatchObject({ ...SUCCEEDED, incremental: false, purged: 0 });
      expect(await identities(scheduled)).toEqual(expected(USERS, 0));

      await inPostgres(
        "UPDATE crm.users SET name = 'Changed', updated_at = now() - interval '1 hour' WHERE id <= 100",
        `INSERT INTO crm.users ${user('n', "'User' || n || '@Example.COM'")} 'Name ' || n END,
           now() - interval '1 hour' FROM generate_series(${String(USERS + 1)}, ${String(USERS + ADDED)}) AS s (n)`,
      );
      // All of the first import have the cursor's time, and are read again.
      await inPostgres(
        `UPDATE crm.users SET updated_at = updated_at - interval '1 hour' WHERE id > 100 AND id <= ${String(USERS)}`,
      );
      const second = await ended(await start(scheduled));
      expect(second).toMatchObject({ ...SUCCEEDED, incremental: true, purged: 0 });
      expect(second.passed[0]).toBe(100 + ADDED);
      expect(await identities(scheduled)).toEqual(expected(USERS + ADDED, 100));

      await inPostgres('DELETE FROM crm.users WHERE id <= 10');
      const third = await ended(await start(scheduled, { incremental: false }));
      expect(third).toMatchObject({ ...SUCCEEDED, incremental: false, purged: 10 });
      expect(await identities(scheduled)).toEqual(expected(USERS + ADDED, 100, 10));

      await inPostgres("UPDATE crm.users SET name = 'Changed', updated_at = now() WHERE id <= 200");
      await schedule(scheduled);
    },
    afterwards: () => {
      it('imports what has changed when the schedule says so', () =>
        showingOutput(
          () => installation,
          async () => {
            const changed = expected(USERS + ADDED, 200, 10);
            await until('the scheduled run has ended', async () => {
              const run = await newest(scheduled);
              return (
                run?.progress === null &&
                (await identities(scheduled)).get('200') === changed.get('200')
              );
            });
            expect(await newest(scheduled)).toMatchObject({
              ...SUCCEEDED,
              incremental: true,
              purged: 0,
            });
            expect(await identities(scheduled)).toEqual(changed);
          },
        )());
    },
  };
};
