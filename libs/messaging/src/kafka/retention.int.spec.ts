import { ConfigResourceTypes, Kafka, logLevel } from 'kafkajs';
import { fresh } from '../contract/log-harness';
import { until } from '../contract/until';
import type { MessageLog, TopicSpec } from '../message-log';
import { openLog, testBrokers } from './test-brokers.fixture';

jest.setTimeout(60_000);

const HOUR_MS = 3_600_000;
const admin = new Kafka({ brokers: testBrokers(), logLevel: logLevel.NOTHING }).admin();

let log: MessageLog;

beforeAll(() => admin.connect());
afterAll(() => admin.disconnect());
beforeEach(async () => {
  log = await openLog();
});
afterEach(() => log.close());

const kept = (name: string, retention: TopicSpec['retention']): TopicSpec[] => [
  { name, partitions: 2, retention },
];

const configured = async (name: string): Promise<Record<string, string>> => {
  const resources = [{ type: ConfigResourceTypes.TOPIC, name }];
  const answer = await admin.describeConfigs({ resources, includeSynonyms: false });
  const entries = answer.resources[0]?.configEntries ?? [];
  return Object.fromEntries(
    entries.map(({ configName, configValue }) => [configName, configValue]),
  );
};

/** Sets entries of a topic as an operator would, besides those it was made with. */
const set = async (name: string, changes: Record<string, string>): Promise<void> => {
  const present = await configured(name);
  const made = ['cleanup.policy', 'retention.ms', 'segment.ms', 'message.timestamp.type'];
  const own = Object.fromEntries(made.map((entry) => [entry, present[entry] ?? '']));
  const configEntries = Object.entries({ ...own, ...changes }).map(([entry, value]) => ({
    name: entry,
    value,
  }));
  const resources = [{ type: ConfigResourceTypes.TOPIC, name, configEntries }];
  await admin.alterConfigs({ validateOnly: false, resources });
  await until('the change', async () => {
    const now = await configured(name);
    return Object.entries(changes).every(([entry, value]) => now[entry] === value);
  });
};

it("applies another time in both directions, and keeps the operator's entries", async () => {
  const name = fresh('retention');
  await log.ensureTopics(kept(name, 10 * HOUR_MS));
  await set(name, { 'max.message.bytes': '2000000' });
  for (const hours of [20, 5]) {
    await log.ensureTopics(kept(name, hours * HOUR_MS));
    await until('the retention', async () => {
      return (await configured(name))['retention.ms'] === String(hours * HOUR_MS);
    });
    expect(await configured(name)).toMatchObject({
      'cleanup.policy': 'delete',
      'segment.ms': String((hours * HOUR_MS) / 10),
      'max.message.bytes': '2000000',
      'message.timestamp.type': 'LogAppendTime',
    });
  }
});

it('does not change a topic with the right retention', async () => {
  const name = fresh('retention');
  await log.ensureTopics(kept(name, 10 * HOUR_MS));
  await set(name, { 'segment.ms': '120000' });
  await log.ensureTopics(kept(name, 10 * HOUR_MS));
  expect(await configured(name)).toMatchObject({ 'segment.ms': '120000' });
});
