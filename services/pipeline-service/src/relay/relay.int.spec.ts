import { ConfigurationReplica, readFact, TOPIC } from '@penstock/contracts';
import { FACTS_CHANNEL, type FactsLimit, PostgresEventStore } from '@penstock/event-sourcing';
import { KafkaMessageLog, PrefixedLog } from '@penstock/messaging';
import { newId } from '@penstock/runtime';
import { testBrokers } from '@penstock/test-servers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type Notification } from 'pg';
import { connectDatabase } from '../database/database';
import { eventually } from '../testing/eventually.fixture';
import { HeldTimers } from '../testing/held-timers.fixture';
import { aWriteKey, Installation, type InstallationOptions } from '../testing/installation.fixture';
import { withAfter, withBefore } from '../testing/logs.fixture';
import { aPipeline, ofSize } from '../testing/pipeline.fixture';
import { RelayLock } from './relay-lock';
import { RelayRunner } from './relay-runner';
import { Sleeper } from './sleeper';

jest.setTimeout(120_000);

const IS_LONG = process.env['PENSTOCK_TEST_LONG'] === '1';
/** Longer than any test: what comes about has another cause than such a timer. */
const NEVER_MS = 3_600_000;

let installation: Installation;

afterEach(() => installation.close());

const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);

/** What a reader takes that skips the positions it has seen. */
const unseen = (positions: readonly number[]): number[] => {
  let seen = 0;
  return positions.filter((position) => {
    const isNew = position > seen;
    seen = Math.max(seen, position);
    return isNew;
  });
};

/** Changes of every kind, many at once. @param rounds a multiple of five */
const change = async (rounds: number): Promise<void> => {
  const round = async (): Promise<void> => {
    const source = await installation.source();
    const destination = await installation.destination({ linkedConnections: [source] });
    const { id } = await installation.command('CreatePipeline', aPipeline(destination));
    await installation.command('SetPipelineStatus', { id, enabled: false });
    await installation.command('UnlinkConnections', { source, destination });
    await installation.command('CreateEventWriteKey', {
      connection: source,
      key: aWriteKey(installation.workspace),
    });
    if (source.at(-1)?.match(/[a-m]/))
      await installation.command('DeleteConnection', { id: destination });
  };
  for (let done = 0; done < rounds; done += 5) await Promise.all(upTo(5).map(round));
};

const ids = (all: Iterable<{ id: string }>): string[] => [...all].map(({ id }) => id).sort();

/** Expects the replica to contain what the views contain. */
const expectLikeViews = async (replica: ConfigurationReplica): Promise<void> => {
  await replica.waitFor(await installation.newest());
  expect(replica.seen).toBe(await installation.newest());
  const page = { limit: 1_000, cursor: '' };
  const { connections } = await installation.read('ListConnections', page);
  const { pipelines } = await installation.read('ListPipelines', page);
  expect(ids(replica.connectionsOf(installation.workspace))).toEqual(ids(connections));
  expect(connections.length).toBeGreaterThan(0);
  for (const view of connections) {
    expect(replica.connection(view.id)).toMatchObject({
      version: view.version,
      name: view.name,
      settings: view.settings,
      links: view.role === 'Source' ? view.linkedConnections : [],
    });
    expect(replica.pipelinesOn(view.id)).toEqual([...view.pipelines].sort());
  }
  for (const { id, version, enabled } of pipelines)
    expect(replica.pipeline(id)).toMatchObject({ version, enabled, deleted: false });
};

const expectComplete = async (): Promise<void> => {
  const last = await installation.newest();
  for (const topic of [TOPIC.configuration, TOPIC.configurationState])
    expect(unseen(await installation.positions(topic))).toEqual(upTo(last));
};

const onKafka: InstallationOptions = {
  openLog: () =>
    new PrefixedLog(
      new KafkaMessageLog({ brokers: testBrokers(), clientId: 'pipeline-service' }),
      `${newId()}.`,
    ),
};

// That both logs are alike is shown by the contract of logs, and in processes by the end-to-end specs.
it.each<[string, InstallationOptions]>([
  ['the embedded log', {}],
  ...(IS_LONG ? [['Kafka', onKafka] as [string, InstallationOptions]] : []),
])(
  'publishes every position once, in order, on %s: replicas are like the views',
  async (_, log) => {
    installation = await Installation.open(log);
    const live = await installation.follow();
    const service = await installation.start();
    await change(IS_LONG ? 30 : 10);
    await service.published();

    const all = upTo(await installation.newest());
    expect(await installation.positions(TOPIC.configuration)).toEqual(all);
    expect(await installation.positions(TOPIC.configurationState)).toEqual(all);
    await expectLikeViews(live);
    await expectLikeViews(await installation.follow(new ConfigurationReplica()));
  },
);

it('goes on behind what somebody else has put on the topics', async () => {
  installation = await Installation.open();
  const first = await installation.start();
  await installation.source();
  await first.published();
  await installation.stop(first);
  const foreign = upTo(30).map((n) => ({ key: 'foreign', value: n % 2 === 0 ? '{' : null }));
  for (const topic of [TOPIC.configuration, TOPIC.configurationState])
    await installation.log.append(topic, foreign);
  const second = await installation.start();
  await change(5);
  await second.published();

  const records = await installation.records(TOPIC.configuration);
  const positions = records.flatMap(({ value }) => readFact(value)?.position ?? []);
  expect(positions).toEqual(upTo(await installation.newest()));
});

it('brings each change to a replica by its notification, not by looking now and then', async () => {
  const looks = new HeldTimers(1_000);
  try {
    installation = await Installation.open();
    const replica = await installation.follow();
    await installation.start();
    const source = await installation.source();
    for (let n = 0; n < 10; n += 1) {
      const destination = await installation.destination();
      const { position } = await installation.recorded('LinkConnections', { source, destination });
      await eventually(
        () => replica.seen,
        (seen) => seen >= position,
      );
    }
    expect(looks.size).toBeGreaterThan(0);
  } finally {
    looks.release();
  }
});

it.each([
  ['before it is there', withBefore],
  ['though it is there', withAfter],
])('goes on after appends that fail, %s', async (_, failing) => {
  installation = await Installation.open();
  const live = await installation.follow();
  let appends = 0;
  let failed = 0;
  const log = failing(installation.log, (topic) => {
    if (!topic.startsWith(TOPIC.configuration)) return Promise.resolve();
    appends += 1;
    if (appends % 7 !== 0) return Promise.resolve();
    failed += 1;
    return Promise.reject(new Error('the log is away'));
  });
  const service = await installation.start({ log });
  // Both topics take turns, and seven is odd: two failures in a row are of different ones.
  while (failed < (IS_LONG ? 6 : 2)) await change(5);
  await service.published();

  await expectComplete();
  await expectLikeViews(live);
  await expectLikeViews(await installation.follow(new ConfigurationReplica()));
});

it('is succeeded by another when its session ends between the two appends', async () => {
  installation = await Installation.open();
  let isHeld = false;
  let giveUp: ((reason: Error) => void) | undefined;
  const stuck = withBefore(installation.log, async (topic) => {
    if (topic !== TOPIC.configuration || !isHeld) return;
    await new Promise((_, reject) => (giveUp = reject));
  });
  await installation.start({ log: stuck });
  const live = await installation.follow();
  await change(5);
  isHeld = true;
  const changing = change(5);
  await eventually(() => giveUp !== undefined);
  await installation.pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'penstock-relay'`,
  );
  const second = await installation.start();
  await changing;
  await second.published();

  await expectComplete();
  await expectLikeViews(live);
  giveUp?.(new Error('the log is away'));
  await change(5);
  await second.published();
  await expectComplete();
});

it('runs in one process at a time, and the next takes over when that closes', async () => {
  installation = await Installation.open();
  const publishers: string[] = [];
  const named = (name: string) =>
    withBefore(installation.log, (topic) => {
      if (topic === TOPIC.configuration) publishers.push(name);
      return Promise.resolve();
    });
  const first = await installation.start({ log: named('first') });
  await first.published();
  const second = await installation.start({ log: named('second') });
  await change(5);
  await second.published();
  expect(new Set(publishers)).toEqual(new Set(['first']));

  await installation.stop(first);
  await change(5);
  await second.published();
  expect(new Set(publishers)).toEqual(new Set(['first', 'second']));
  expect(publishers.lastIndexOf('first')).toBeLessThan(publishers.indexOf('second'));
  const all = upTo(await installation.newest());
  expect(await installation.positions(TOPIC.configuration)).toEqual(all);
  expect(await installation.positions(TOPIC.configurationState)).toEqual(all);
});

describe('the right to publish', () => {
  const lockOf = async (silentMs?: number): Promise<RelayLock> => {
    const lock = new RelayLock(installation.databaseUrl, 'facts', new Sleeper(), silentMs);
    await lock.connect();
    return lock;
  };

  /** @returns a lock that is held, and may be silent so long: longer where the machine is too slow to take it within. */
  const held = async (leastMs: number) => {
    for (let silentMs = leastMs; ;) {
      const lock = await lockOf(silentMs);
      const usedMs = performance.now();
      const isHeld = await lock.take().catch(() => undefined);
      if (isHeld === true) return { lock, silentMs, usedMs };
      await lock.release();
      if (isHeld === undefined) silentMs *= 2;
    }
  };

  /**
   * Uses a lock for longer than it may be silent, while another session tries to take it.
   *
   * @returns whether all gaps between uses were shorter than that: on a busy machine they may not be.
   */
  const usedWithoutGaps = async ({
    lock,
    silentMs,
    usedMs,
  }: Awaited<ReturnType<typeof held>>): Promise<boolean> => {
    const next = await lockOf();
    try {
      const endMs = usedMs + 1.5 * silentMs;
      for (let lastMs = usedMs; lastMs < endMs;) {
        await sleep(silentMs / 10);
        const isTaken = await next.take();
        const nowMs = performance.now();
        const isHeld = await lock.check().then(
          () => true,
          () => false,
        );
        if (performance.now() - lastMs >= silentMs) return false;
        expect([isTaken, isHeld]).toEqual([false, true]);
        lastMs = nowMs;
      }
      return true;
    } finally {
      await next.release();
    }
  };

  it('is kept by a process that works, for however long', async () => {
    installation = await Installation.open();
    for (let leastMs = 500, isUsed = false; !isUsed; leastMs *= 2) {
      const inUse = await held(leastMs);
      isUsed = await usedWithoutGaps(inUse).finally(() => inUse.lock.release());
    }
  });

  it('is lost when its process stands still', async () => {
    installation = await Installation.open();
    const next = await lockOf();
    const { lock } = await held(300);
    await eventually(() => next.take());
    await expect(lock.check()).rejects.toThrow();
    await next.release();
    await lock.release();
  });
});

it('publishes what was recorded before it closes', async () => {
  installation = await Installation.open();
  const service = await installation.start();
  await change(5);
  const [position] = await Promise.all([installation.newest(), installation.stop(service)]);
  expect((await installation.positions(TOPIC.configuration)).at(-1)).toBe(position);
});

it('publishes a fact that is recorded while it looks, without looking again by itself', async () => {
  installation = await Installation.open();
  const service = await installation.start();
  await service.published();
  await installation.stop(service);
  const database = await connectDatabase(installation.databaseUrl, () => undefined);
  const emitted = jest.spyOn(Client.prototype, 'emit');
  const notifications = (): number =>
    emitted.mock.calls.filter(
      ([event, message]: readonly unknown[]) =>
        event === 'notification' && (message as Notification).channel === FACTS_CHANNEL,
    ).length;
  let empty = 0;
  /** Finds no facts, and gets the notification of new ones before it can report that. */
  class LateStore extends PostgresEventStore {
    override async factsAfter(position: number, limit: FactsLimit) {
      const found = await super.factsAfter(position, limit);
      if (found.length > 0) return found;
      empty += 1;
      // After the first two it publishes data keys, forgets what is old, and looks again.
      if (empty === 3) {
        const before = notifications();
        await this.append({
          streams: [
            {
              stream: 'none-1',
              owner: 'w',
              version: 0,
              facts: [{ type: 'T', data: {}, state: {} }],
            },
          ],
          cause: { commandId: newId(), actor: 'spec', requestId: 'r' },
          reply: {},
          project: () => Promise.resolve(),
        });
        await eventually(notifications, (count) => count > before);
      }
      return found;
    }
  }
  const relay = new RelayRunner({
    databaseUrl: installation.databaseUrl,
    store: new LateStore(database.manager),
    log: installation.log,
    onError: () => undefined,
    idleMs: NEVER_MS,
    deletedKeptMs: 3_600_000,
  });
  const missed = (await installation.newest()) + 1;
  relay.start();
  try {
    await eventually(
      () => installation.positions(TOPIC.configurationState),
      (positions) => positions.includes(missed),
    );
  } finally {
    emitted.mockRestore();
    await relay.stop();
    await database.destroy();
  }
});

it('publishes facts that are too many for one batch', async () => {
  installation = await Installation.open();
  const service = await installation.start();
  const id = await installation.destination();
  const largest: number[] = [];
  const log = withBefore(installation.log, (topic, messages) => {
    if (topic === TOPIC.configuration)
      largest.push(messages.reduce((sum, { value }) => sum + (value?.length ?? 0), 0));
    return Promise.resolve();
  });
  await installation.stop(service);
  const blind = await installation.start({
    log: withBefore(installation.log, (topic) =>
      topic.startsWith(TOPIC.configuration)
        ? Promise.reject(new Error('the log is away'))
        : Promise.resolve(),
    ),
  });
  for (let n = 0; n < 8; n += 1)
    await installation.command('CreatePipeline', aPipeline(id, ofSize(250_000)));
  await installation.stop(blind);
  const last = await installation.start({ log });
  await last.published();
  await expectComplete();
  expect(largest.length).toBeGreaterThanOrEqual(4);
  expect(Math.max(...largest)).toBeLessThan(800_000);
});
