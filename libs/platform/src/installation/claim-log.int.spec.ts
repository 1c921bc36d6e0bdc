import { randomUUID } from 'node:crypto';
import type { TopicSpec } from '@penstock/messaging';
import {
  KafkaMessageLog,
  type MessageLog,
  PostgresMessageLog,
  PrefixedLog,
} from '@penstock/messaging';
import { type FreshDatabase, freshDatabase, testBrokers } from '@penstock/test-servers';
import { Pool } from 'pg';
import { claimLog, WrongLog } from './claim-log';
import { InstallationRecord } from './installation-record';

jest.setTimeout(60_000);

const TOPICS: readonly TopicSpec[] = [{ name: 'events', partitions: 1, retention: 'forever' }];

const databases: FreshDatabase[] = [];
const pools: Pool[] = [];
const logs: MessageLog[] = [];

afterEach(async () => {
  await Promise.all(logs.splice(0).map((log) => log.close()));
  await Promise.all(pools.splice(0).map((pool) => pool.end()));
  await Promise.all(databases.splice(0).map((database) => database.drop()));
});

const newPrefix = (): string => `${randomUUID()}.`;

const kafka = (prefix: string): MessageLog => {
  const whole = new KafkaMessageLog({ brokers: testBrokers(), clientId: 'spec' });
  const log = new PrefixedLog(whole, prefix);
  logs.push(log);
  return log;
};

const inDatabase = (connectionString: string): MessageLog => {
  const log = new PostgresMessageLog({ connection: { connectionString } });
  logs.push(log);
  return log;
};

/** The services of one installation, by its database. */
interface Stand {
  readonly url: string;
  readonly pool: Pool;
  readonly moves: string[];
  /** @returns the id of the installation. */
  start(log: MessageLog, mayMove?: boolean): Promise<string>;
}

const installation = async (): Promise<Stand> => {
  const database = await freshDatabase();
  databases.push(database);
  const pool = new Pool({ connectionString: database.url });
  pools.push(pool);
  const moves: string[] = [];
  const start = (log: MessageLog, mayMove = false): Promise<string> =>
    claimLog({
      record: new InstallationRecord(pool),
      log,
      topics: TOPICS,
      isShared: !(log instanceof PostgresMessageLog),
      mayMove,
      onMove: ({ from, to }) => moves.push(`${from} ${to}`),
    });
  return { url: database.url, pool, moves, start };
};

const append = (log: MessageLog) => log.append('events', [{ key: 'k', value: 'v' }]);

it('makes one id for services that start at once, and keeps it', async () => {
  const one = await installation();
  const prefix = newPrefix();
  const ids = await Promise.all(Array.from({ length: 6 }, () => one.start(kafka(prefix))));
  expect(new Set(ids).size).toBe(1);
  expect(ids[0]).toMatch(/^[\da-f-]{36}$/);
  expect(await one.start(kafka(prefix))).toBe(ids[0]);
  expect(await (await installation()).start(kafka(newPrefix()))).not.toBe(ids[0]);
});

it('does not make a session of the pool believe that a schema is missing which another one makes', async () => {
  const one = await installation();
  const own = new Pool({ connectionString: one.url, max: 1 });
  pools.push(own);
  const record = new InstallationRecord(own);
  await record.read('log');
  await own.query('BEGIN');
  await own.query('SELECT pg_advisory_xact_lock(1)');
  await one.pool.query('CREATE SCHEMA penstock_router');
  await own.query('CREATE SCHEMA IF NOT EXISTS penstock_router');
  await own.query('COMMIT');
});

it('refuses the topics of another installation, naming both and what to set', async () => {
  const [one, other] = [await installation(), await installation()];
  const prefix = newPrefix();
  const id = await one.start(kafka(prefix));
  const ownId = await other.start(kafka(newPrefix()));
  const fresh = await installation();
  const refusal = fresh.start(kafka(prefix));
  await expect(refusal).rejects.toThrow(WrongLog);
  await expect(refusal).rejects.toThrow(
    new RegExp(`belong to installation ${id} .*PENSTOCK_PREFIX .*DATABASE_URL`),
  );
  await expect(other.start(kafka(prefix), true)).rejects.toThrow(ownId);
});

it('lets one of two installations have a prefix for which both start at once', async () => {
  const stands = [await installation(), await installation()];
  const prefix = newPrefix();
  const outcomes = await Promise.allSettled(
    [...stands, ...stands].map((stand) => stand.start(kafka(prefix))),
  );
  const winners = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  expect(winners).toHaveLength(2);
  expect(new Set(winners).size).toBe(1);
});

it('refuses another prefix than before, until the operator lets it move, which is reported', async () => {
  const one = await installation();
  const [first, second] = [kafka(newPrefix()), kafka(newPrefix())];
  const id = await one.start(first);
  await expect(one.start(second)).rejects.toThrow(
    /KAFKA_BROKERS and PENSTOCK_PREFIX as before.*PENSTOCK_EVENTS_FROM/,
  );
  await expect(second.partitionsOf('events')).rejects.toThrow('does not exist');
  await one.start(first);
  expect(one.moves).toEqual([]);
  expect(await one.start(second, true)).toBe(id);
  expect(one.moves).toEqual([`${await first.identity()} ${await second.identity()}`]);
  await one.start(second);
  await expect(one.start(first)).rejects.toThrow(WrongLog);
});

it('lets one of two services start that are the first ones, with different prefixes', async () => {
  const one = await installation();
  const outcomes = await Promise.allSettled([
    one.start(kafka(newPrefix())),
    one.start(kafka(newPrefix())),
  ]);
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
});

it('refuses to leave a log in the database unasked, too', async () => {
  const one = await installation();
  await one.start(inDatabase(one.url));
  await one.start(inDatabase(one.url));
  await expect(one.start(kafka(newPrefix()))).rejects.toThrow(WrongLog);
});

it('refuses topics with records that name nobody to a database that is new, and says what to do', async () => {
  const old = kafka(newPrefix());
  await old.ensureTopics(TOPICS);
  await append(old);
  const fresh = await installation();
  const refusal = fresh.start(old);
  await expect(refusal).rejects.toThrow(/PENSTOCK_PREFIX .*delete the topics.*"installation":"/);
  const [, record = ''] = /begin with the record (\{.*\})/.exec(await refusal.catch(String)) ?? [];
  await old.ensureTopics([{ name: 'installation', partitions: 1, retention: 'forever' }]);
  await old.append('installation', [{ key: '', value: record }]);
  await fresh.start(old);
});

describe('an installation of an earlier version', () => {
  const ROUTER_LOG = `
    CREATE SCHEMA penstock_router;
    CREATE TABLE penstock_router.log (one boolean PRIMARY KEY DEFAULT true, identity text NOT NULL);
    CREATE TABLE penstock_router.partitions (partition integer PRIMARY KEY);`;
  let earlier: Stand;
  let log: MessageLog;

  beforeEach(async () => {
    earlier = await installation();
    await earlier.pool.query(ROUTER_LOG);
    log = kafka(newPrefix());
    await log.ensureTopics(TOPICS);
    await append(log);
  });

  const routersUsed = (identity: string) =>
    earlier.pool.query('INSERT INTO penstock_router.log (identity) VALUES ($1)', [identity]);

  it('adopts its topics once: its routers know the log', async () => {
    await routersUsed(await log.identity());
    const id = await earlier.start(log);
    expect(await earlier.start(log)).toBe(id);
    const second = await installation();
    await second.pool.query(ROUTER_LOG);
    await second.pool.query('INSERT INTO penstock_router.log (identity) VALUES ($1)', [
      await log.identity(),
    ]);
    await expect(second.start(log)).rejects.toThrow(`belong to installation ${id} `);
  });

  it('adopts its topics when its routers have progress and no record of their log', async () => {
    await earlier.pool.query('INSERT INTO penstock_router.partitions VALUES (0)');
    await earlier.start(log);
  });

  it('adopts nothing when its routers have never run', async () => {
    await expect(earlier.start(log)).rejects.toThrow(WrongLog);
  });

  it('is refused another log than that of its routers', async () => {
    await routersUsed('another');
    await expect(earlier.start(log)).rejects.toThrow('uses the log another');
  });
});
