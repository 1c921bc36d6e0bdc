import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';

export interface FreshDatabase {
  readonly url: string;
  /** Drops the database, also while connections to it are open: they are terminated after a second. */
  drop(): Promise<void>;
}

/** A variable that jest's global set-up of the integration project sets. */
const testVariable = (name: 'TEST_DATABASE_URL' | 'TEST_KAFKA_BROKERS'): string => {
  const value = process.env[name];
  if (value) return value;
  throw new Error(`${name} is not set: run this spec in the project "integration"`);
};

const withClient = async (
  url: string,
  work: (client: Client) => Promise<unknown>,
): Promise<void> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
};

/** Milliseconds to wait for sessions that are closing. */
const CLOSING_MS = 1_000;

/**
 * A pool of the driver reports that it has ended while its sessions are still closing. A session that the server
 * terminates meanwhile raises an error that nobody handles.
 */
const untilSessionsAreClosed = async (client: Client, name: string): Promise<void> => {
  const deadline = Date.now() + CLOSING_MS;
  const open = async () =>
    (await client.query('SELECT FROM pg_stat_activity WHERE datname = $1', [name])).rowCount;
  while ((await open()) && Date.now() < deadline) await setTimeout(10);
};

/** The first version of PostgreSQL that can copy the files of a template. */
const COPIES_FILES = 150_000;

/**
 * Creates a database as a copy of the template's files: by default, PostgreSQL writes every page of it to its log, which
 * takes 0.2 s of CPU, fifteen times as much.
 */
const create = async (client: Client, name: string): Promise<void> => {
  const { rows } = await client.query<{ version: number }>(
    `SELECT current_setting('server_version_num')::int AS version`,
  );
  const strategy = (rows[0]?.version ?? 0) >= COPIES_FILES ? 'STRATEGY FILE_COPY' : '';
  await client.query(`CREATE DATABASE ${name} ${strategy}`);
};

/** `host:port` of each broker for integration specs. */
export const testBrokers = (): string[] => testVariable('TEST_KAFKA_BROKERS').split(',');

/**
 * An empty database for one spec file, so that files can run at once and in any order.
 *
 * @param on URL of another server than the one that all specs share.
 */
export const freshDatabase = async (on?: string): Promise<FreshDatabase> => {
  const server = on ?? testVariable('TEST_DATABASE_URL');
  const name = `test_${randomBytes(8).toString('hex')}`;
  await withClient(server, (client) => create(client, name));
  const url = new URL(server);
  url.pathname = `/${name}`;
  const drop = () =>
    withClient(server, async (client) => {
      await untilSessionsAreClosed(client, name);
      await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    });
  return { url: url.toString(), drop };
};
