import { randomUUID } from 'node:crypto';
import { Client } from 'pg';

export interface TestDatabase {
  readonly url: URL;
  drop(): Promise<void>;
}

const administer = async (url: string, statement: string): Promise<void> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(statement).finally(() => client.end());
};

/** Creates an empty database for a spec. @throws Error when there is no server for tests. */
export const makeTestDatabase = async (): Promise<TestDatabase> => {
  const { TEST_DATABASE_URL: server } = process.env;
  if (!server) throw new Error('TEST_DATABASE_URL must name a PostgreSQL server for tests');
  const name = `log_${randomUUID().replaceAll('-', '')}`;
  await administer(server, `create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url, drop: () => administer(server, `drop database ${name} with (force)`) };
};
