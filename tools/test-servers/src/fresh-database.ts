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
  await withClient(server, (client) => client.query(`CREATE DATABASE ${name}`));
  const url = new URL(server);
  url.pathname = `/${name}`;
  const drop = () =>
    withClient(server, async (client) => {
      await untilSessionsAreClosed(client, name);
      await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    });
  return { url: url.toString(), drop };
};
