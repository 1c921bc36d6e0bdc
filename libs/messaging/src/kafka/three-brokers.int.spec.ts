import { setTimeout as sleep } from 'node:timers/promises';
import { type Cluster, startBroker, startCluster } from '@penstock/local-kafka';
import { firstSeenByKey, Recorder } from '../contract/recorder';
import { until } from '../contract/until';
import type { LogRecord, NewMessage, Position } from '../message-log';
import { KafkaMessageLog } from './kafka-message-log';

jest.setTimeout(400_000);

const isLong = process.env['PENSTOCK_TEST_LONG'] === '1';
const KEYS = isLong ? 200 : 60;
/** Messages while a broker is killed, and while one is restarted; a second takes as many as a fifth of them. */
const KILLED = isLong ? 20_000 : 6_000;
const RESTARTED = isLong ? 5_000 : 2_000;
const PARTITIONS = 6;
const STEP_MS = 25;

interface Appended extends Position, NewMessage {}

let cluster: Cluster | undefined;
const logs: KafkaMessageLog[] = [];
afterEach(async () => {
  await Promise.all(logs.splice(0).map((log) => log.close()));
  await cluster?.stop();
  cluster = undefined;
});

const openLog = (): KafkaMessageLog => {
  const log = new KafkaMessageLog({ brokers: [...(cluster?.brokers ?? [])], clientId: 'faults' });
  logs.push(log);
  return log;
};

/** The nth message: the values of each key count up from 0. */
const message = (nth: number): NewMessage => ({
  key: `key-${nth % KEYS}`,
  value: String(Math.floor(nth / KEYS)).padEnd(200, ' '),
});

/** Appends messages at a steady pace without waiting for each. @returns the acknowledged ones. */
const load = async (
  log: KafkaMessageLog,
  topic: string,
  { count, perSecond }: { readonly count: number; readonly perSecond: number },
): Promise<readonly Appended[]> => {
  const acknowledged: Appended[] = [];
  const outcomes: Promise<unknown>[] = [];
  const perStep = (perSecond * STEP_MS) / 1_000;
  for (let nth = 0; nth < count; nth += 1) {
    if (nth % perStep === 0) await sleep(STEP_MS);
    const one = message(nth);
    const append = log.append(topic, [one], { timeoutMs: 60_000 });
    const stored = append.then(
      ([position]) => position && acknowledged.push({ ...one, ...position }),
    );
    outcomes.push(stored.catch(() => undefined));
  }
  await Promise.all(outcomes);
  return acknowledged;
};

const readAll = async (topic: string): Promise<readonly LogRecord[]> => {
  const recorder = new Recorder();
  const reader = await openLog().follow({ topic, onBatch: recorder.onBatch });
  await reader.caughtUp();
  await reader.stop();
  return recorder.records;
};

/** Starts a live reader of all partitions, from the beginning. */
const readLive = async (topic: string): Promise<Recorder> => {
  const recorder = new Recorder();
  const reader = await openLog().readPartitions({ topic, onBatch: recorder.onBatch });
  for (let partition = 0; partition < PARTITIONS; partition += 1) reader.start(partition, 0);
  return recorder;
};

/** Reads slices of every partition up to the ends after `untilLoaded`, and retries while brokers are unavailable. */
const catchUp = async (topic: string, untilLoaded: Promise<unknown>): Promise<LogRecord[]> => {
  const log = openLog();
  let isLoaded = false;
  void untilLoaded.then(() => (isLoaded = true));
  const follow = async (partition: number): Promise<LogRecord[]> => {
    const records: LogRecord[] = [];
    for (let next = 0; ;) {
      const wasLoaded = isLoaded;
      const slice = await log.read(topic, partition, next, 200_000).catch(() => undefined);
      records.push(...(slice?.records ?? []));
      next = slice?.next ?? next;
      if (slice && wasLoaded && next >= slice.end) return records;
      if (!slice || next >= slice.end) await sleep(50);
    }
  };
  const all = await Promise.all(Array.from({ length: PARTITIONS }, (_, p) => follow(p)));
  return all.flat();
};

const expectGapless = (records: readonly LogRecord[]): void => {
  for (let partition = 0; partition < PARTITIONS; partition += 1) {
    const offsets = records.filter((one) => one.partition === partition).map((one) => one.offset);
    expect(offsets).toEqual(offsets.map((_, index) => index));
  }
};

const placeOf = ({ partition, offset, key, value }: Appended): string =>
  `${partition}:${offset} ${key} ${value?.trim()}`;

const expectAllThere = (acknowledged: readonly Appended[], records: readonly LogRecord[]): void => {
  const stored = new Set(records.map(placeOf));
  expect(acknowledged.filter((one) => !stored.has(placeOf(one)))).toEqual([]);
};

const expectOrderPerKey = (records: readonly LogRecord[]): void => {
  for (const [key, values] of firstSeenByKey(records)) {
    const numbers = values.map(Number);
    expect([key, numbers]).toEqual([key, [...numbers].sort((a, b) => a - b)]);
  }
};

it('loses no acknowledged message and keeps the order of keys when a broker is killed', async () => {
  cluster = await startCluster(3);
  const log = openLog();
  const topic = 'killed';
  await log.ensureTopics([{ name: topic, partitions: PARTITIONS, retention: 'forever' }]);
  const member = new Recorder();
  await openLog().subscribe({ topic, group: 'members', onBatch: member.onBatch });
  const live = await readLive(topic);

  const loaded = load(log, topic, { count: KILLED, perSecond: KILLED / 5 });
  const stretches = catchUp(topic, loaded);
  await sleep(2_000);
  await cluster.nodes[1]?.kill9();
  const acknowledged = await loaded;

  const records = await readAll(topic);
  expect(acknowledged).toHaveLength(KILLED);
  expectAllThere(acknowledged, records);
  expectOrderPerKey(records);
  const count = new Set(records.map(placeOf)).size;
  await until(
    'all at the member',
    () => new Set(member.records.map(placeOf)).size === count,
    60_000,
  );
  expectOrderPerKey(member.records);
  await until('all at the live reader', () => live.records.length >= count, 60_000);
  for (const read of [live.records, await stretches]) {
    expectGapless(read);
    expect(new Set(read.map(placeOf))).toEqual(new Set(records.map(placeOf)));
  }
});

it('waits for a broker that is restarted, and resumes appends and reads', async () => {
  cluster = await startBroker();
  const log = openLog();
  const topic = 'restarted';
  await log.ensureTopics([{ name: topic, partitions: PARTITIONS, retention: 'forever' }]);
  const [member, follower] = [new Recorder(), new Recorder()];
  await openLog().subscribe({ topic, group: 'members', onBatch: member.onBatch });
  await openLog().follow({ topic, onBatch: follower.onBatch });
  const live = await readLive(topic);

  const loaded = load(log, topic, { count: RESTARTED, perSecond: RESTARTED / 5 });
  const stretches = catchUp(topic, loaded);
  await sleep(1_500);
  await cluster.nodes[0]?.stop();
  await cluster.nodes[0]?.restart();
  const acknowledged = await loaded;

  const records = await readAll(topic);
  expect(acknowledged).toHaveLength(RESTARTED);
  expectAllThere(acknowledged, records);
  expectOrderPerKey(records);
  for (const recorder of [member, follower]) {
    const stored = new Set(records.map(placeOf));
    await until('all at the readers', () => recorder.records.length >= stored.size, 60_000);
    expect(new Set(recorder.records.map(placeOf))).toEqual(stored);
    expectOrderPerKey(recorder.records);
  }
  await until('all at the live reader', () => live.records.length >= records.length, 60_000);
  for (const read of [live.records, await stretches]) {
    expectGapless(read);
    expect(new Set(read.map(placeOf))).toEqual(new Set(records.map(placeOf)));
  }
});
