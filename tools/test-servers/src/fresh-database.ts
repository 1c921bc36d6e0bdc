import { randomBytes } from 'node:crypto';
import { Client } from 'pg';

export interface FreshDatabase {
  readonly url: string;
  /** Also while connections to it are open: they are ended. */
  drop(): Promise<void>;
}

/** A variable that jest's global set-up of the integration project has set. */
const testVariable = (name: 'TEST_DATABASE_URL' | 'TEST_KAFKA_BROKERS'): string => {
  const value = process.env[name];
  if (value) return value;
  throw new Error(`${name} is not set: run this spec in the project "integration"`);
};

const execute = async (url: string, sql: string): Promise<void> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
};

/** `host:port` of each broker for integration specs. */
export const testBrokers = (): string[] => testVariable('TEST_KAFKA_BROKERS').split(',');

/** An empty database for one spec file, so that files can run at once and in any order. */
export const freshDatabase = async (): Promise<FreshDatabase> => {
  const server = testVariable('TEST_DATABASE_URL');
  const name = `test_${randomBytes(8).toString('hex')}`;
  await execute(server, `CREATE DATABASE ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  const drop = () => execute(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  return { url: url.toString(), drop };
};
