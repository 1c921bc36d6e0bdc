import { setTimeout as sleep } from 'node:timers/promises';
import { Kafka, logLevel } from 'kafkajs';
import { fresh, freshTopic, keyIn, numbered } from '../contract/log-harness';
import { Recorder } from '../contract/recorder';
import { until } from '../contract/until';
import type { MessageLog } from '../message-log';
import { openLog, testBrokers } from './test-brokers.fixture';

jest.setTimeout(120_000);

/** Three heartbeats. */
const SESSION_MS = 9_000;
const LONG_MS = SESSION_MS + 3_000;

const logs: MessageLog[] = [];
let release: () => void = () => undefined;
afterEach(async () => {
  release();
  await Promise.all(logs.splice(0).map((log) => log.close()));
});
const open = async (): Promise<MessageLog> => {
  const log = await openLog({ sessionTimeoutMs: SESSION_MS });
  logs.push(log);
  return log;
};

it('keeps a member whose handler runs longer than its session timeout, while others wait', async () => {
  const [log, other] = await Promise.all([open(), open()]);
  const topic = await freshTopic(log, 4);
  const group = fresh('group');
  const [slow, quick] = [new Recorder(), new Recorder()];
  const clashes: number[] = [];
  let [isAtWork, hasEnded] = [false, false];
  const append = (value: string) =>
    log.append(
      topic,
      [0, 1, 2, 3].map((partition) => ({ key: keyIn(partition, 4), value })),
    );
  await log.subscribe({
    topic,
    group,
    onBatch: async (partition, records) => {
      await slow.onBatch(partition, records);
      if (partition !== 0 || hasEnded) return;
      isAtWork = true;
      await sleep(LONG_MS);
      [isAtWork, hasEnded] = [false, true];
    },
  });
  await append('1');
  await until('the slow batch and the others', () => isAtWork && slow.records.length === 4);
  await append('2');
  await until('the other partitions go on', () => slow.records.length === 7);

  await other.subscribe({
    topic,
    group,
    onBatch: (partition, records) => {
      if (isAtWork) clashes.push(partition);
      return quick.onBatch(partition, records);
    },
  });
  await until('the end of the slow batch', () => hasEnded);
  await append('3');

  const seen = () => [...slow.records, ...quick.records];
  await until('all', () => seen().filter(({ value }) => value === '3').length === 4);
  expect(clashes).toEqual([]);
  const first = seen().filter(({ partition, offset }) => partition === 0 && offset === 0);
  expect(first).toHaveLength(1);
});

it('continues after records that were dropped before they were read', async () => {
  const log = await open();
  const topic = await freshTopic(log, 1);
  const values = numbered(1, 60).map((value) => value.padEnd(50_000, '.'));
  for (const value of values) await log.append(topic, [{ key: 'k', value }]);
  const recorder = new Recorder();
  const held = new Promise<void>((resolve) => (release = resolve));
  const reader = await log.follow({
    topic,
    maxRecords: 1,
    onBatch: async (partition, records) => {
      await held;
      await recorder.onBatch(partition, records);
    },
  });
  await sleep(1_000);

  const admin = new Kafka({ brokers: testBrokers(), logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  await admin.fetchTopicOffsets(topic);
  await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: '55' }] });
  await admin.disconnect();
  release();
  await reader.caughtUp();
  await log.append(topic, [{ key: 'k', value: 'on' }]);
  await recorder.untilValue('on');

  const offsets = recorder.records.map(({ offset }) => offset);
  expect(offsets).toEqual([...new Set(offsets)].sort((a, b) => a - b));
  expect(offsets.length).toBeLessThan(50);
  expect(offsets.slice(-6)).toEqual([55, 56, 57, 58, 59, 60]);
});
