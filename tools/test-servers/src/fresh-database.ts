import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import { testVariable } from './test-variable';

export interface FreshDatabase {
  readonly url: string;
  /**
   * Drops the database, also while connections to it are open: they are terminated after a second.
   *
   * @param roles that own nothing elsewhere, and are dropped too.
   */
  drop(roles?: readonly string[]): Promise<void>;
}

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
const create = async (client: Client, name: string, template?: string): Promise<void> => {
  const { rows } = await client.query<{ version: number }>(
    `SELECT current_setting('server_version_num')::int AS version`,
  );
  const strategy = (rows[0]?.version ?? 0) >= COPIES_FILES ? 'STRATEGY FILE_COPY' : '';
  const of = template === undefined ? '' : `TEMPLATE ${template}`;
  await client.query(`CREATE DATABASE ${name} ${of} ${strategy}`);
};

/** What many databases of a server begin with: it is made once, and copied. */
export interface Beginning {
  /** Letters and underscores. */
  readonly name: string;
  /** Fills a database. */
  make(url: string): Promise<void>;
  /** A statement by which each copy becomes one of its own, if it needs one. */
  readonly own?: string;
}

const urlOf = (server: string, name: string): string => {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.toString();
};

const drop = async (client: Client, name: string): Promise<void> => {
  await untilSessionsAreClosed(client, name);
  await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
};

const fill = async (
  client: Client,
  server: string,
  name: string,
  { make }: Beginning,
): Promise<void> => {
  // What was killed while it made one has left it.
  await drop(client, `${name}_unfinished`);
  await create(client, `${name}_unfinished`);
  await make(urlOf(server, `${name}_unfinished`));
  await untilSessionsAreClosed(client, `${name}_unfinished`);
  await client.query(`ALTER DATABASE ${name}_unfinished RENAME TO ${name}`);
};

/** @returns the name of a database that nobody connects to, made by whoever asks first. */
const templateOf = async (
  client: Client,
  server: string,
  beginning: Beginning,
): Promise<string> => {
  const name = `template_${beginning.name}`;
  await client.query('SELECT pg_advisory_lock(hashtext($1))', [name]);
  try {
    const found = await client.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    if (found.rowCount === 0) await fill(client, server, name, beginning);
    return name;
  } finally {
    await client.query('SELECT pg_advisory_unlock(hashtext($1))', [name]);
  }
};

/** `host:port` of each broker for integration specs. */
export const testBrokers = (): string[] => testVariable('TEST_KAFKA_BROKERS').split(',');

/**
 * A database for one spec file, so that files can run at once and in any order.
 *
 * @param on URL of another server than the one that all specs share.
 * @param like what it begins with; absent: it is empty.
 */
export const freshDatabase = async (on?: string, like?: Beginning): Promise<FreshDatabase> => {
  const server = on ?? testVariable('TEST_DATABASE_URL');
  const name = `test_${randomBytes(8).toString('hex')}`;
  await withClient(server, async (client) =>
    create(client, name, like && (await templateOf(client, server, like))),
  );
  const url = urlOf(server, name);
  const own = like?.own;
  if (own !== undefined) await withClient(url, (client) => client.query(own));
  return {
    url,
    drop: (roles = []) =>
      withClient(server, async (client) => {
        await drop(client, name);
        if (roles.length > 0) await client.query(`DROP ROLE ${roles.join(', ')}`);
      }),
  };
};
