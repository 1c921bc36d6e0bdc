import {
  createLogger,
  PENSTOCK_RULES,
  PENSTOCK_VARIABLES,
  readConfig,
  Shutdown,
} from '@penstock/runtime';
import { type FreshDatabase, freshDatabase, testBrokers } from '@penstock/test-servers';
import { randomUUID } from 'node:crypto';
import { openPlatform, type Platform } from './platform';

jest.setTimeout(60_000);

const SECRET = 'x'.repeat(32);

let database: FreshDatabase;
const closing: Shutdown[] = [];

beforeEach(async () => {
  database = await freshDatabase();
});
afterEach(async () => {
  for (const shutdown of closing.splice(0)) await shutdown.end(0);
  await database.drop();
});

/** Opens the platform of a service as its process does, but for signals and the end of the process. */
const open = async (env: Record<string, string> = {}): Promise<Platform> => {
  const given = {
    DATABASE_URL: database.url,
    PENSTOCK_SECRET: SECRET,
    LOG_LEVEL: 'silent',
    ...env,
  };
  const config = readConfig(given, PENSTOCK_VARIABLES, PENSTOCK_RULES, { folder: '/nonexistent' });
  const logger = createLogger({ ...config, service: 'spec' });
  const shutdown = new Shutdown({ logger, deadlineMs: 25_000, exit: () => undefined });
  closing.push(shutdown);
  const own = { service: 'spec', logger, shutdown, databaseUrl: database.url, secret: SECRET };
  return openPlatform(config, own);
};

it('keeps to the connections that it may have', async () => {
  const { pool } = await open({ PENSTOCK_DATABASE_CONNECTIONS: '5' });
  await Promise.all(Array.from({ length: 12 }, () => pool.query('SELECT pg_sleep(0.05)')));
  expect(pool.totalCount).toBe(5);
});

it('names topics with the prefix, and refuses another one at the next start', async () => {
  const prefix = `${randomUUID()}.`;
  const kafka = { KAFKA_BROKERS: testBrokers().join(',') };
  const { log } = await open({
    ...kafka,
    PENSTOCK_PREFIX: prefix,
    PENSTOCK_EVENTS_PARTITIONS: '2',
  });
  expect(await log.identity()).toMatch(new RegExp(`/${prefix}$`));
  expect(await log.endOffsets('installation')).toEqual([1]);
  const other = { ...kafka, PENSTOCK_PREFIX: `${randomUUID()}.` };
  await expect(open(other)).rejects.toThrow('PENSTOCK_EVENTS_FROM');
  await expect(open()).rejects.toThrow('PENSTOCK_EVENTS_FROM');
});

it('refuses to make topics with more replicas than there are brokers', async () => {
  const env = {
    KAFKA_BROKERS: testBrokers().join(','),
    PENSTOCK_PREFIX: `${randomUUID()}.`,
    KAFKA_REPLICATION_FACTOR: '9',
  };
  await expect(open(env)).rejects.toThrow(
    /^KAFKA_REPLICATION_FACTOR is 9, and Kafka has \d+ broker/,
  );
});
