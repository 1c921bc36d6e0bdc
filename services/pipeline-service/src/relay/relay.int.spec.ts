import { ConfigurationReplica, type ConnectionId, readFact, TOPIC } from '@penstock/contracts';
import { type FactsLimit, PostgresEventStore } from '@penstock/event-sourcing';
import { KafkaMessageLog, PrefixedLog } from '@penstock/messaging';
import { newId } from '@penstock/runtime';
import { testBrokers } from '@penstock/test-servers';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectDatabase } from '../database/database';
import { aWriteKey, Installation } from '../testing/installation.fixture';
import { withAfter, withBefore } from '../testing/logs.fixture';
import { aPipeline, ofSize } from '../testing/pipeline.fixture';
import { RelayLock } from './relay-lock';
import { RelayRunner } from './relay-runner';
import { Sleeper } from './sleeper';

jest.setTimeout(120_000);

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

/** Changes of every kind, many at once. */
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

it('publishes every position once, in order, and replicas are like the views', async () => {
  installation = await Installation.open();
  const live = await installation.follow();
  const service = await installation.start();
  await change(30);
  await service.published();

  const all = upTo(await installation.newest());
  expect(await installation.positions(TOPIC.configuration)).toEqual(all);
  expect(await installation.positions(TOPIC.configurationState)).toEqual(all);
  await expectLikeViews(live);
  await expectLikeViews(await installation.follow(new ConfigurationReplica()));
});

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

it('brings a change to a replica within moments of the answer', async () => {
  installation = await Installation.open();
  const replica = await installation.follow();
  await installation.start();
  const source = await installation.source();
  const waits: number[] = [];
  for (let n = 0; n < 60; n += 1) {
    const destination = newId() as ConnectionId;
    await installation.destination({ id: destination });
    const { position } = await installation.recorded('LinkConnections', { source, destination });
    const answeredMs = performance.now();
    await replica.waitFor(position);
    waits.push(performance.now() - answeredMs);
  }
  waits.sort((a, b) => a - b);
  // Without a notification it would be found within a second, by looking now and then.
  expect(waits[30]).toBeLessThan(500);
});

it.each([
  ['before it is there', withBefore],
  ['though it is there', withAfter],
])('goes on after appends that fail, %s', async (_, failing) => {
  installation = await Installation.open();
  const live = await installation.follow();
  let appends = 0;
  const log = failing(installation.log, async (topic) => {
    if (!topic.startsWith(TOPIC.configuration)) return;
    appends += 1;
    await sleep(1);
    if (appends % 7 === 0) throw new Error('the log is away');
  });
  const service = await installation.start({ log });
  await change(20);
  await service.published();

  expect(appends).toBeGreaterThan(14);
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
  const changing = change(10);
  while (giveUp === undefined) await sleep(10);
  await installation.pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'penstock-relay'`,
  );
  const second = await installation.start();
  await changing;
  await second.published();

  await expectComplete();
  await expectLikeViews(live);
  giveUp(new Error('the log is away'));
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
  await change(10);
  await second.published();
  expect(new Set(publishers)).toEqual(new Set(['first']));

  await installation.stop(first);
  await change(10);
  await second.published();
  expect(new Set(publishers)).toEqual(new Set(['first', 'second']));
  expect(publishers.lastIndexOf('first')).toBeLessThan(publishers.indexOf('second'));
  const all = upTo(await installation.newest());
  expect(await installation.positions(TOPIC.configuration)).toEqual(all);
  expect(await installation.positions(TOPIC.configurationState)).toEqual(all);
});

it('loses the right to publish when its process stands still', async () => {
  installation = await Installation.open();
  const lockOf = async (silentMs?: number): Promise<RelayLock> => {
    const lock = new RelayLock(installation.databaseUrl, 'facts', new Sleeper(), silentMs);
    await lock.connect();
    return lock;
  };
  const [still, next] = [await lockOf(8_000), await lockOf()];
  expect(await still.take()).toBe(true);
  for (let look = 0; look < 18; look += 1) {
    await sleep(500);
    await still.check();
    expect(await next.take()).toBe(false);
  }
  while (!(await next.take())) await sleep(100);
  await expect(still.check()).rejects.toThrow();
  await next.release();
  await still.release();
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
  let empty = 0;
  /** Finds no facts, and gets the notification of new ones before it can report that. */
  class LateStore extends PostgresEventStore {
    override async factsAfter(position: number, limit: FactsLimit) {
      const found = await super.factsAfter(position, limit);
      if (found.length > 0) return found;
      empty += 1;
      // After the first two it publishes data keys, forgets what is old, and looks again.
      if (empty === 3) {
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
        await sleep(200);
      }
      return found;
    }
  }
  const relay = new RelayRunner({
    databaseUrl: installation.databaseUrl,
    store: new LateStore(database.manager),
    log: installation.log,
    onError: () => undefined,
    idleMs: 100_000,
    deletedKeptMs: 3_600_000,
  });
  const missed = (await installation.newest()) + 1;
  relay.start();
  try {
    await expect(
      Promise.race([relay.caughtUpWith(missed), sleep(10_000, 'late')]),
    ).resolves.toBeUndefined();
  } finally {
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

it('works on Kafka', async () => {
  installation = await Installation.open({
    openLog: () =>
      new PrefixedLog(
        new KafkaMessageLog({ brokers: testBrokers(), clientId: 'pipeline-service' }),
        `${newId()}.`,
      ),
  });
  const live = await installation.follow();
  const service = await installation.start();
  await change(10);
  await service.published();

  const all = upTo(await installation.newest());
  expect(await installation.positions(TOPIC.configuration)).toEqual(all);
  await expectLikeViews(live);
  await expectLikeViews(await installation.follow(new ConfigurationReplica()));
});
