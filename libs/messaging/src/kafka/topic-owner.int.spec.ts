import { ConfigResourceTypes, Kafka, logLevel } from 'kafkajs';
import { fresh } from '../contract/log-harness';
import { until } from '../contract/until';
import type { MessageLog, TopicSpec } from '../message-log';
import { PrefixedLog } from '../prefixed-log';
import { ForeignTopics, UnclaimedTopics } from '../topic-owner';
import { openLog, testBrokers } from './test-brokers.fixture';

jest.setTimeout(120_000);

const TOPICS: readonly TopicSpec[] = [
  { name: 'events', partitions: 2, retention: 3_600_000 },
  { name: 'configuration', partitions: 1, retention: 'forever' },
  { name: 'state', partitions: 1, retention: 'compact' },
];

const admin = new Kafka({ brokers: testBrokers(), logLevel: logLevel.NOTHING }).admin();
const logs: MessageLog[] = [];

let prefix: string;

beforeAll(() => admin.connect());
afterAll(() => admin.disconnect());
beforeEach(() => {
  prefix = `${fresh('p')}.`;
});
afterEach(async () => {
  await Promise.all(logs.splice(0).map((log) => log.close()));
});

const open = async (): Promise<MessageLog> => {
  const log = new PrefixedLog(await openLog(), prefix);
  logs.push(log);
  return log;
};

const claim = async (installation: string, isKnown = false): Promise<void> => {
  const log = await open();
  await log.ensureTopics(TOPICS, { installation, marker: 'installation', isKnown });
};

/** An open log of an installation that has claimed its topics. */
const claimed = async (installation: string): Promise<MessageLog> => {
  await claim(installation);
  return open();
};

const own = async (): Promise<readonly string[]> =>
  (await admin.listTopics())
    .filter((name) => name.startsWith(prefix))
    .map((name) => name.slice(prefix.length))
    .sort();

const deleteTopic = async (name: string): Promise<void> => {
  await admin.deleteTopics({ topics: [`${prefix}${name}`] });
  await until('the topic is gone', async () => !(await own()).includes(name));
};

/** Deletes all records of a topic, as retention does. */
const dropRecords = async (name: string): Promise<void> => {
  const topic = `${prefix}${name}`;
  const offsets = await admin.fetchTopicOffsets(topic);
  const partitions = offsets
    .filter(({ low, high }) => low !== high)
    .map(({ partition, high }) => ({ partition, offset: high }));
  await admin.deleteTopicRecords({ topic, partitions });
};

const message = (key = 'k') => [{ key, value: 'v' }];

it('lets an installation in again, and refuses another one by name, which changes nothing', async () => {
  const log = await claimed('one');
  await log.append('events', message());
  await claim('one');
  await claim('one', true);
  const before = await own();
  for (const isKnown of [false, true])
    await expect(claim('two', isKnown)).rejects.toMatchObject(
      new ForeignTopics(`${prefix}installation`, 'one'),
    );
  expect(await own()).toEqual(before);
  expect(before).toEqual(['configuration', 'events', 'installation', 'state']);
});

it('gives new topics to one of two installations that start at once, with all of its services', async () => {
  for (let round = 0; round < 4; round += 1) {
    prefix = `${fresh('p')}.`;
    const claims = ['one', 'two', 'one', 'two', 'one', 'two'].map(async (installation) => {
      await claim(installation);
      return installation;
    });
    const outcomes = await Promise.allSettled(claims);
    const winners = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(winners).toHaveLength(3);
    expect(new Set(winners).size).toBe(1);
    const [winner = ''] = winners;
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ owner: winner });
  }
});

it('refuses topics with records of nobody, and makes nothing; who knows the log adopts them once', async () => {
  const log = await open();
  await log.ensureTopics(TOPICS);
  await log.append('configuration', message());
  await expect(claim('new')).rejects.toMatchObject(
    new UnclaimedTopics(`${prefix}configuration`, `${prefix}installation`),
  );
  expect(await own()).not.toContain('installation');
  await claim('old', true);
  await claim('old');
  await expect(claim('new', true)).rejects.toThrow(ForeignTopics);
});

it('takes topics that an operator has made and nobody has written to', async () => {
  await (await open()).ensureTopics(TOPICS);
  await claim('one');
  await expect(claim('two')).rejects.toThrow(ForeignTopics);
});

it('knows that retention has removed records: their topics are not free', async () => {
  const log = await claimed('one');
  await log.append('events', message());
  await dropRecords('events');
  await expect(claim('two')).rejects.toThrow(ForeignTopics);
  await deleteTopic('installation');
  await expect(claim('two')).rejects.toMatchObject(
    new UnclaimedTopics(`${prefix}events`, `${prefix}installation`),
  );
});

it('attributes topics that were deleted and made again', async () => {
  const log = await claimed('one');
  await log.append('events', message());
  for (const { name } of TOPICS) await deleteTopic(name);
  await expect(claim('two')).rejects.toThrow(ForeignTopics);
  await claim('one');
  expect(await own()).toEqual(['configuration', 'events', 'installation', 'state']);
});

it('names the owner again when the marker was deleted, for who knows the log alone', async () => {
  const log = await claimed('one');
  await log.append('events', message());
  await deleteTopic('installation');
  await expect(claim('two')).rejects.toThrow(UnclaimedTopics);
  await claim('one', true);
  await expect(claim('two')).rejects.toThrow(ForeignTopics);
});

it('keeps the marker for ever, uncompacted', async () => {
  await claim('one');
  const name = `${prefix}installation`;
  const answer = await admin.describeConfigs({
    resources: [{ type: ConfigResourceTypes.TOPIC, name }],
    includeSynonyms: false,
  });
  const entries = answer.resources[0]?.configEntries ?? [];
  const kept = Object.fromEntries(entries.map((one) => [one.configName, one.configValue]));
  expect(kept).toMatchObject({
    'cleanup.policy': 'delete',
    'retention.ms': '-1',
    'retention.bytes': '-1',
  });
});

it('refuses a marker topic that holds something else', async () => {
  const log = await open();
  await log.ensureTopics([{ name: 'installation', partitions: 1, retention: 'forever' }]);
  await log.append('installation', message());
  await expect(claim('one', true)).rejects.toThrow(`${prefix}installation`);
  expect(await own()).toEqual(['installation']);
});

it('keeps two installations apart in one cluster', async () => {
  const first = await claimed('one');
  await first.append('events', message('of one'));
  prefix = `${fresh('p')}.`;
  const second = await claimed('two');
  await second.append('events', message('of two'));
  const keysOf = async (log: MessageLog): Promise<readonly string[]> => {
    const slices = await Promise.all([0, 1].map((part) => log.read('events', part, 0, 1_000)));
    return slices.flatMap(({ records }) => records.map(({ key }) => key));
  };
  expect([await keysOf(first), await keysOf(second)]).toEqual([['of one'], ['of two']]);
});
