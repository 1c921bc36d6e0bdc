import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type QueryConfig } from 'pg';
import { fresh, freshTopic, keyIn, numbered } from '../contract/log-harness';
import { Recorder } from '../contract/recorder';
import { until } from '../contract/until';
import { LogUnavailable } from '../message-log';
import { balance, enter, leave, LEASE_MS, type Member, movePositions } from './claims';
import { Database } from './database';
import { beginningOffsets } from './offsets';
import { PostgresMessageLog, type PostgresMessageLogOptions } from './postgres-message-log';
import { makeTestDatabase, type TestDatabase } from './test-database.fixture';
import { Topics } from './topics';

const HOUR_MS = 3_600_000;

jest.setTimeout(60_000);

let testDatabase: TestDatabase;
const opened: { close(): Promise<void> }[] = [];

const connection = () => ({ connectionString: testDatabase.url.href });
const open = (options: Partial<PostgresMessageLogOptions> = {}): PostgresMessageLog => {
  const log = new PostgresMessageLog({ connection: connection(), ...options });
  opened.push(log);
  return log;
};
const sql = async <Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> => {
  const client = new Client(connection());
  await client.connect();
  const { rows } = await client.query<Row>(text, values).finally(() => client.end());
  return rows;
};
const readAll = async (log: PostgresMessageLog, topic: string, maxRecords?: number) => {
  const recorder = new Recorder();
  const options = maxRecords === undefined ? {} : { maxRecords };
  const reader = await log.follow({ topic, onBatch: recorder.onBatch, ...options });
  await reader.caughtUp();
  await reader.stop();
  return recorder;
};

beforeAll(async () => {
  testDatabase = await makeTestDatabase();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()));
});
afterAll(() => testDatabase.drop());

describe('retention by time', () => {
  it('drops whole tables, keeps offsets, and continues', async () => {
    const log = open();
    const topic = await freshTopic(log, 1, HOUR_MS);
    await log.append(topic, [{ key: 'k', value: 'old' }]);

    await log.maintain({ nowMs: Date.now() + HOUR_MS / 2 });
    expect((await readAll(log, topic)).values).toEqual(['old']);
    await log.maintain({ nowMs: Date.now() + 2 * HOUR_MS });
    expect((await readAll(log, topic)).values).toEqual([]);
    expect(await log.beginningOffsets(topic)).toEqual([1]);

    await log.append(topic, [{ key: 'k', value: 'new' }]);
    const { records } = await readAll(log, topic);
    expect(records).toEqual([expect.objectContaining({ offset: 1, value: 'new' })]);
    expect(await log.beginningOffsets(topic)).toEqual([1]);
    expect(await log.offsetsAt(topic, 0)).toEqual([1]);
  });

  it('runs no vacuum for inserted records', async () => {
    const log = open();
    const topic = await freshTopic(log, 1, HOUR_MS);
    const [named] = await sql<{ id: number }>(
      'select id from penstock_log.topics where name = $1',
      [topic],
    );
    const segments = await sql<{ own: string[]; toast: string[] }>(
      `select c.reloptions as own, t.reloptions as toast
       from pg_inherits join pg_class c on c.oid = inhrelid join pg_class t on t.oid = c.reltoastrelid
       where inhparent = $1::regclass`,
      [`penstock_log.messages_${named!.id}`],
    );
    expect(segments.length).toBeGreaterThan(0);
    const options = ['autovacuum_vacuum_insert_threshold=-1'];
    for (const segment of segments) expect(segment).toEqual({ own: options, toast: options });
  });

  it('moves a reader past the dropped records', async () => {
    const log = open();
    const topic = await freshTopic(log, 1, HOUR_MS);
    await log.append(topic, [{ key: 'k', value: 'old' }]);
    await log.maintain({ nowMs: Date.now() + 2 * HOUR_MS });

    const recorder = new Recorder();
    await log.subscribe({ topic, group: fresh('group'), onBatch: recorder.onBatch });
    await log.append(topic, [{ key: 'k', value: 'new' }]);
    await recorder.untilSeen(1);
    expect(recorder.values).toEqual(['new']);
  });

  it('applies a new retention time, and refuses another kind', async () => {
    const log = open();
    const name = await freshTopic(log, 1, HOUR_MS);
    await log.ensureTopics([{ name, partitions: 1, retention: 2 * HOUR_MS }]);
    const [topic] = await sql('select retention from penstock_log.topics where name = $1', [name]);
    expect(topic).toEqual({ retention: '7200000' });

    for (const retention of ['compact', 'forever'] as const)
      await expect(log.ensureTopics([{ name, partitions: 1, retention }])).rejects.toThrow(name);
  });

  it('does nothing, and does not fail, before there is a topic', async () => {
    const empty = await makeTestDatabase();
    const log = open({ connection: { connectionString: empty.url.href } });
    await expect(log.maintain()).resolves.toBeUndefined();
    await expect(log.partitionsOf('nowhere')).rejects.toThrow('nowhere');
    await log.close();
    await empty.drop();
  });
});

describe('the beginning of a partition', () => {
  /** Changes the log between the statements of another call. */
  class InterruptedDatabase extends Database {
    before: (() => Promise<unknown>) | undefined;

    override async rows<Row extends unknown[]>(query: QueryConfig): Promise<readonly Row[]> {
      const { before } = this;
      this.before = undefined;
      const rows = await super.rows<Row>(query);
      await before?.();
      return rows;
    }
  }

  it('is read from a single state of the log', async () => {
    const log = open();
    const name = await freshTopic(log, 1, HOUR_MS);
    const append = () => log.append(name, [{ key: 'k', value: 'v' }]);
    const dropAll = () => log.maintain({ nowMs: Date.now() + 2 * HOUR_MS });
    await append();
    const database = new InterruptedDatabase(connection());
    opened.push(database);
    const topic = await new Topics(database).named(name);
    database.before = async () => {
      await append();
      await dropAll();
    };

    expect(await beginningOffsets(database, topic)).toEqual([0]);
    expect(await beginningOffsets(database, topic)).toEqual([2]);
    expect(await log.endOffsets(name)).toEqual([2]);
  });
});

describe('the identity', () => {
  const withEmptyDatabase = async (work: (url: string) => Promise<void>) => {
    const empty = await makeTestDatabase();
    await work(empty.url.href).finally(async () => {
      await Promise.all(opened.splice(0).map((one) => one.close()));
      await empty.drop();
    });
  };
  const openMany = (connectionString: string) =>
    Array.from({ length: 8 }, () => open({ connection: { connectionString } }));

  it('is made once by concurrent callers, also before there is a topic', () =>
    withEmptyDatabase(async (url) => {
      const logs = openMany(url);
      const names = await Promise.all(logs.map((log) => log.identity()));
      await freshTopic(logs[0]!, 1);
      expect(new Set([...names, await logs[1]!.identity()]).size).toBe(1);
    }));

  it('is made at first use in the database of an older version', () =>
    withEmptyDatabase(async (url) => {
      const [before, ...logs] = openMany(url);
      const topic = await freshTopic(before!, 1);
      const client = new Client({ connectionString: url });
      await client.connect();
      await client.query('drop table penstock_log.identity').finally(() => client.end());

      const names = await Promise.all(
        logs.flatMap((log) => [
          log.identity(),
          log.ensureTopics([{ name: topic, partitions: 1, retention: 'forever' }]),
        ]),
      );
      const [name] = names;
      expect(name).toMatch(/^[0-9a-f-]{36}$/);
      expect(new Set(names)).toEqual(new Set([name, undefined]));
    }));

  it('differs between databases', async () => {
    const name = await open().identity();
    await withEmptyDatabase(async (connectionString) => {
      expect(await open({ connection: { connectionString } }).identity()).not.toBe(name);
    });
  });
});

describe('compaction', () => {
  it('keeps a tombstone for its time', async () => {
    const log = open({ tombstonesKeptMs: HOUR_MS });
    const topic = await freshTopic(log, 1, 'compact');
    const values = ['1', null];
    await log.append(
      topic,
      values.map((value) => ({ key: 'deleted', value })),
    );
    await log.append(topic, [{ key: 'kept', value: '2' }]);

    await log.maintain({ compactsNow: true });
    expect((await readAll(log, topic)).values).toEqual([null, '2']);
    await log.maintain({ compactsNow: true, nowMs: Date.now() + HOUR_MS + 1_000 });
    expect((await readAll(log, topic)).values).toEqual(['2']);
  });

  it('lets a reader reach the end when the last record was a deleted tombstone', async () => {
    const log = open({ tombstonesKeptMs: 0 });
    const topic = await freshTopic(log, 1, 'compact');
    await log.append(topic, [{ key: 'deleted', value: null }]);
    await log.maintain({ compactsNow: true, nowMs: Date.now() + 1_000 });

    expect((await readAll(log, topic)).records).toEqual([]);
    expect(await log.endOffsets(topic)).toEqual([1]);
  });

  it('runs by itself no sooner than after ten minutes', async () => {
    const log = open();
    const topic = await freshTopic(log, 1, 'compact');
    const append = (value: string) => log.append(topic, [{ key: 'k', value }]);
    await append('1');
    await log.maintain();
    await append('2');
    await log.maintain();
    expect((await readAll(log, topic)).values).toEqual(['1', '2']);
    await log.maintain({ nowMs: Date.now() + 600_000 });
    expect((await readAll(log, topic)).values).toEqual(['2']);
  });
});

describe('appending', () => {
  it('lets writers of the same partitions, in any order, never deadlock', async () => {
    const logs = [open(), open(), open()];
    const [log] = logs;
    const topic = await freshTopic(log!, 4);
    const keys = [0, 1, 2, 3].map((partition) => keyIn(partition, 4));
    const rounds = numbered(1, 60).map((value, round) => {
      const order = round % 2 ? keys : keys.toReversed();
      return Promise.all(
        logs.map((one) =>
          one.append(
            topic,
            order.map((key) => ({ key, value })),
          ),
        ),
      );
    });
    await Promise.all(rounds);
    expect(await log!.endOffsets(topic)).toEqual([180, 180, 180, 180]);
    for (const partition of [0, 1, 2, 3]) {
      const { records } = await readAll(log!, topic);
      const offsets = records.filter((r) => r.partition === partition).map(({ offset }) => offset);
      expect(offsets).toEqual(Array.from({ length: 180 }, (_, offset) => offset));
    }
  });

  it('keeps the order within each topic in one flush', async () => {
    const log = open();
    const topics = await Promise.all([freshTopic(log, 2), freshTopic(log, 2, HOUR_MS)]);
    await Promise.all(
      numbered(1, 100).flatMap((value) =>
        topics.map((topic) => log.append(topic, [{ key: 'k', value }])),
      ),
    );
    for (const topic of topics)
      expect((await readAll(log, topic)).values).toEqual(numbered(1, 100));
  });
});

describe('reading', () => {
  it('bounds a batch by its bytes without leaving a record out', async () => {
    const log = open();
    const topic = await freshTopic(log, 1);
    const large = 'x'.repeat(900_000);
    const values = Array.from({ length: 40 }, (_, index) => (index % 3 ? large : null));
    for (const value of values) await log.append(topic, [{ key: 'k', value }]);

    const { batches, records } = await readAll(log, topic);
    expect(records.map(({ offset }) => offset)).toEqual(values.map((_, offset) => offset));
    expect(batches.length).toBeGreaterThan(1);
  });

  it('runs few statements while nothing happens', async () => {
    const log = open();
    const topics = await Promise.all([freshTopic(log, 8), freshTopic(log, 8)]);
    const { onBatch } = new Recorder();
    for (const topic of topics) await log.follow({ topic, onBatch });
    await sleep(1_000);
    const statements = new Set<string>();
    const startMs = Date.now();
    for (let look = 0; look < 60; look += 1) {
      const rows = await sql<{ pid: number; start: string }>(
        `select pid, query_start::text as start from pg_stat_activity
         where application_name = 'penstock-log' and datname = current_database()`,
      );
      for (const { pid, start } of rows) statements.add(`${pid} ${start}`);
      if (look === 0) statements.clear();
      await sleep(100);
    }
    const tookS = (Date.now() - startMs) / 1_000;
    expect(statements.size / tookS).toBeLessThan(2);
  });

  it("is notified of other processes' appends at once", async () => {
    const [log, other] = [open(), open()];
    const topic = await freshTopic(log, 1);
    const delaysMs: number[] = [];
    let appendedMs = 0;
    await other.follow({
      topic,
      onBatch: () => Promise.resolve(void delaysMs.push(performance.now() - appendedMs)),
    });
    await sleep(500);
    for (let round = 0; round < 20; round += 1) {
      appendedMs = performance.now();
      await log.append(topic, [{ key: 'k', value: 'v' }]);
      await until('the record', () => delaysMs.length === round + 1);
    }
    const [median = Infinity] = delaysMs.toSorted((a, b) => a - b).slice(10);
    expect(median).toBeLessThan(500);
  });
});

describe('a group', () => {
  const membersOf = async (log: PostgresMessageLog) => {
    const name = await freshTopic(log, 2);
    const [topic] = await sql<{ id: number }>(
      'select id from penstock_log.topics where name = $1',
      [name],
    );
    const database = new Database(connection());
    opened.push(database);
    const group = fresh('group');
    const member = (): Member => ({ id: randomUUID(), group, topicId: topic!.id });
    return { database, one: member(), two: member() };
  };

  it('refuses positions of a member that has lost the partition, also after it was claimed again', async () => {
    const { database, one, two } = await membersOf(open());
    await enter(database, one, 2);
    const { claimed } = await balance(database, one);
    const moves = claimed.map((claim) => ({ ...claim, position: 5 }));
    expect(await movePositions(database, one, moves)).toEqual(new Set([0, 1]));

    await sql(
      `update penstock_log.members set lease_until = now() - interval '1 s' where id = $1`,
      [one.id],
    );
    await enter(database, two, 2);
    const taken = await balance(database, two);
    expect(taken.claimed.map(({ position }) => position)).toEqual([5, 5]);
    const late = claimed.map((claim) => ({ ...claim, position: 9 }));
    expect(await movePositions(database, one, late)).toEqual(new Set());

    await sql('delete from penstock_log.members where id = $1', [two.id]);
    await sql('update penstock_log.claims set member = null where group_name = $1', [one.group]);
    const again = await balance(database, one);
    expect(again.claimed.map(({ position }) => position)).toEqual([5, 5]);
    expect(await movePositions(database, one, late)).toEqual(new Set());
  });

  it('leaves a member its partitions while its lease lasts', async () => {
    const { database, one, two } = await membersOf(open());
    await enter(database, one, 2);
    await balance(database, one);
    await enter(database, two, 2);
    expect((await balance(database, two)).claimed).toEqual([]);
    expect((await balance(database, one)).giveUp).toHaveLength(1);
    expect(LEASE_MS).toBe(10_000);
  });

  it('goes on before a lease ends when a member stops in the middle of a balance', async () => {
    const { database, one, two } = await membersOf(open());
    await enter(database, one, 2);
    const { held } = await balance(database, one);
    const stopped = new Database(connection());
    opened.push(stopped);
    let resume: () => void = () => undefined;
    const resumed = new Promise<void>((resolve) => {
      resume = resolve;
    });
    let isIn: () => void = () => undefined;
    const inside = new Promise<void>((resolve) => {
      isIn = resolve;
    });
    const frozen = stopped.transaction(async (client) => {
      await client.query('select pg_advisory_xact_lock($1, hashtext($2))', [
        two.topicId,
        two.group,
      ]);
      isIn();
      await resumed;
    });
    await inside;
    const startMs = performance.now();
    expect((await balance(database, one)).held).toEqual(held);
    expect(performance.now() - startMs).toBeLessThan(LEASE_MS);
    resume();
    await expect(frozen).rejects.toThrow(LogUnavailable);
  });

  it('releases the partitions of a member that leaves or is unknown', async () => {
    const { database, one, two } = await membersOf(open());
    await enter(database, one, 2);
    await balance(database, one);
    await leave(database, one);
    await enter(database, two, 2);
    expect((await balance(database, two)).claimed).toHaveLength(2);

    await sql('delete from penstock_log.members where id = $1', [two.id]);
    await enter(database, one, 2);
    expect((await balance(database, one)).claimed).toHaveLength(2);
  });

  it('claims partitions again after they were released in the database', async () => {
    const log = open();
    const topic = await freshTopic(log, 2);
    const group = fresh('group');
    const recorder = new Recorder();
    await log.subscribe({ topic, group, onBatch: recorder.onBatch });
    await log.append(topic, [{ key: 'k', value: '1' }]);
    await recorder.untilValue('1');

    await sql(`update penstock_log.claims set member = null where group_name = $1`, [group]);
    await sql(`select pg_notify('penstock_log_groups', $1)`, [group]);
    await until('both claimed anew', async () => {
      const claims = await sql<{ epoch: string }>(
        'select epoch from penstock_log.claims where group_name = $1 and member is not null',
        [group],
      );
      return claims.length === 2 && claims.every(({ epoch }) => epoch === '2');
    });
    await log.append(topic, [{ key: 'k', value: '2' }]);
    await recorder.untilValue('2');
  });
});
