import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, mysqlDatabase, postgresqlDatabase } from '@penstock/databases';
import { createGuardedSockets } from '@penstock/egress';
import { startEmbeddedPostgres } from '@penstock/embedded-postgres';
import { startMariadb } from '@penstock/local-mariadb';
import { parseJson, isJsonObject, type JsonObject } from '@penstock/schema';
import { createConnection } from 'mysql2';
import { Client } from 'pg';
import { peakMiB } from './process-usage';
import { cells, heading, option, print } from './table';

const ROWS = option('rows', 1_000_000);
const LIMIT = 9_223_372_036_854_775_807n;

/** Of numbers `n` from 1 on: a row as an import reads it. */
const COLUMNS = `n AS id, concat('user', n, '@example.com') AS email, concat('Name, of ', n) AS name, n / 7.0 AS share,
  n % 2 = 0 AS active, 'Roma' AS city, n % 97 AS bucket`;

const settingsOf = (values: object): JsonObject => {
  const settings = parseJson(JSON.stringify(values));
  if (!isJsonObject(settings)) throw new TypeError('settings are no object');
  return settings;
};

/** Reads a table from its first row to its last one, as an import would, and does nothing with the records. */
const measure = async (name: string, database: Database, settings: JsonObject): Promise<void> => {
  const call = {
    sockets: createGuardedSockets(['127.0.0.0/8']),
    signal: new AbortController().signal,
  };
  const query = {
    text: 'SELECT * FROM people LIMIT ${limit}',
    values: { updatedAt: null, limit: LIMIT },
  };
  const peakBefore = peakMiB(process.pid);
  const startMs = performance.now();
  const rows = await database.query(query, settings, call);
  let records = 0;
  for await (const batch of rows.records) records += batch.length;
  const seconds = (performance.now() - startMs) / 1_000;
  await rows.close();
  const { length } = rows.schema.properties;
  print(cells(name, length, records, records / seconds, peakBefore, peakMiB(process.pid)));
};

const measurePostgresql = async (): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'penstock-bench-'));
  const server = await startEmbeddedPostgres({ dataDir: folder });
  try {
    const client = new Client({ connectionString: server.url });
    await client.connect();
    await client.query(
      `CREATE TABLE people AS SELECT ${COLUMNS}, now() AS updated_at FROM generate_series(1, ${String(ROWS)}) AS s (n)`,
    );
    await client.end();
    const { hostname: host, port, username, password, pathname } = new URL(server.url);
    const settings = { host, port: Number(port), username, database: pathname.slice(1) };
    await measure(
      'postgresql',
      postgresqlDatabase,
      settingsOf({ ...settings, password: decodeURIComponent(password), schema: 'public' }),
    );
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
  }
};

const measureMysql = async (): Promise<void> => {
  const server = await startMariadb();
  try {
    const { port, username, password, database } = server;
    const client = createConnection({
      host: '127.0.0.1',
      port,
      user: username,
      password,
      database,
    });
    await client
      .promise()
      .query(
        `CREATE TABLE people AS SELECT ${COLUMNS}, now(6) AS updated_at FROM (SELECT seq AS n FROM seq_1_to_${String(ROWS)}) AS s`,
      );
    client.destroy();
    const settings = { host: '127.0.0.1', port, username, password, database, tls: 'disabled' };
    await measure('mysql (MariaDB)', mysqlDatabase, settingsOf(settings));
  } finally {
    await server.stop();
  }
};

/** Measures how fast a table of `--rows` (a million) is read, and what memory the process has taken at most. */
export const measureDatabases = async (): Promise<void> => {
  print(heading('database', 'columns', 'records', 'records/s', 'peak MiB before', 'peak MiB'));
  await measurePostgresql();
  await measureMysql();
};
