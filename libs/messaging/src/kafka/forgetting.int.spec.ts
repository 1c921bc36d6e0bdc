import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigResourceTypes, Kafka, logLevel } from 'kafkajs';
import { freshTopic } from '../contract/log-harness';
import { Recorder } from '../contract/recorder';
import { until } from '../contract/until';
import type { MessageLog } from '../message-log';
import { openLog, testBrokers } from './test-brokers.fixture';
import { topicConfig } from './topic-config';

jest.setTimeout(120_000);

const admin = new Kafka({ brokers: testBrokers(), logLevel: logLevel.NOTHING }).admin();
const LAG = 'max.compaction.lag.ms';
const LAG_MS = 1_000;

let log: MessageLog;
let topic: string;

beforeAll(() => admin.connect());
afterAll(() => admin.disconnect());
beforeEach(async () => {
  log = await openLog();
  topic = await freshTopic(log, 1, 'compact');
});
afterEach(() => log.close());

const configured = async (name: string): Promise<string | undefined> => {
  const resources = [{ type: ConfigResourceTypes.TOPIC, name: topic, configNames: [name] }];
  const answer = await admin.describeConfigs({ resources, includeSynonyms: false });
  return answer.resources[0]?.configEntries[0]?.configValue;
};

/** Shortens the compaction lag; all other entries stay as for a new topic. */
const shortenLag = async (): Promise<void> => {
  const made = topicConfig(
    { name: topic, partitions: 1, retention: 'compact' },
    { factor: 1, minInSync: 1 },
  ).configEntries;
  const configEntries = (made ?? []).map((entry) =>
    entry.name === LAG ? { ...entry, value: String(LAG_MS) } : entry,
  );
  expect(configEntries).toContainEqual({ name: LAG, value: String(LAG_MS) });
  const resources = [{ type: ConfigResourceTypes.TOPIC, name: topic, configEntries }];
  await admin.alterConfigs({ validateOnly: false, resources });
};

const values = async (): Promise<(string | null)[]> => {
  const found = new Recorder();
  const reader = await log.follow({ topic, onBatch: found.onBatch });
  await reader.caughtUp();
  await reader.stop();
  return found.records.map(({ value }) => value);
};

it('makes compacted topics that delete superseded records within an hour of the next message', async () => {
  expect(await configured(LAG)).toBe('3600000');
  expect(await configured('delete.retention.ms')).toBe('86400000');
});

it('deletes a record that a tombstone supersedes, once something is appended after the lag', async () => {
  await shortenLag();
  for (const value of ['secret', null]) await log.append(topic, [{ key: 'erased', value }]);
  await sleep(5 * LAG_MS);
  expect(await values()).toEqual(['secret', null]);
  await log.append(topic, [{ key: 'erased', value: null }]);
  await until('the compaction', async () => !(await values()).includes('secret'));
});
