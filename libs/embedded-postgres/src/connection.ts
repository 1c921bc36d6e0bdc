import { realpath } from 'node:fs/promises';
import { Client } from 'pg';
import { ROLE } from './cluster';

const DATABASE = 'penstock';

const CONNECT_TIMEOUT_MS = 10_000;

export const urlOf = (port: number, password: string, database = DATABASE): string =>
  `postgres://${ROLE}:${password}@127.0.0.1:${port}/${database}`;

/**
 * URL that connects through the Unix-domain socket in `directory`. A client that ignores the parameter `host` connects
 * to the port.
 */
export const socketUrlOf = (port: number, password: string, directory: string): string =>
  `${urlOf(port, password)}?host=${encodeURIComponent(directory)}`;

const withClient = async <T>(url: string, work: (client: Client) => Promise<T>): Promise<T> => {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: CONNECT_TIMEOUT_MS,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
};

/** Checks whether the server on the port is the one of that cluster. Rejects when none answers. */
export const servesCluster = async (
  port: number,
  password: string,
  clusterDir: string,
): Promise<boolean> =>
  withClient(urlOf(port, password, 'postgres'), async (client) => {
    const { rows } = await client.query<{ data_directory: string }>('SHOW data_directory');
    const served = rows[0]?.data_directory ?? '';
    return served === clusterDir || (await realpath(served)) === (await realpath(clusterDir));
  });

/** Copies the files of the template: otherwise every page of it is written to the log, which takes 0.2 s of CPU. */
const CREATE_DATABASE = `CREATE DATABASE ${DATABASE} STRATEGY FILE_COPY`;

export const ensureDatabase = async (port: number, password: string): Promise<void> =>
  withClient(urlOf(port, password, 'postgres'), async (client) => {
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [DATABASE]);
    if (found.rowCount === 0) await client.query(CREATE_DATABASE);
  });
