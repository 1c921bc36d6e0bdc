import type { Admin } from 'kafkajs';
import type { AdminClient } from './admin-client';
import { Topics } from './topics';

const SPEC = { name: 'events', partitions: 2, retention: 86_400_000 } as const;

const led = { partitionId: 0, leader: 1 };
const isLed = () => Promise.resolve({ topics: [{ name: SPEC.name, partitions: [led, led] }] });

/** Answers of a cluster in which another process has made the topic. */
const cluster = (
  describeConfigs: () => Promise<unknown>,
  fetchTopicMetadata: () => Promise<unknown> = isLed,
): AdminClient => {
  const admin = {
    describeCluster: () => Promise.resolve({ brokers: [{}, {}, {}] }),
    fetchTopicMetadata,
    describeConfigs,
    alterConfigs: () => Promise.resolve(),
  };
  return { ask: (work: (of: Admin) => unknown) => work(admin as unknown as Admin) } as AdminClient;
};

const refusal = (type: string): Error => Object.assign(new Error(type), { type });

const described = {
  resources: [
    {
      configEntries: [
        { configName: 'cleanup.policy', configValue: 'delete' },
        { configName: 'retention.ms', configValue: String(SPEC.retention) },
      ],
    },
  ],
};

it('retries while a broker does not know a topic that others know', async () => {
  const ask = jest
    .fn()
    .mockRejectedValueOnce(refusal('UNKNOWN_TOPIC_OR_PARTITION'))
    .mockRejectedValueOnce(refusal('UNKNOWN_TOPIC_OR_PARTITION'))
    .mockResolvedValue(described);
  await new Topics(cluster(ask)).ensure([SPEC]);
  expect(ask).toHaveBeenCalledTimes(3);
});

describe('with more replicas than brokers', () => {
  const wanted = { factor: 4 };
  const fault = 'KAFKA_REPLICATION_FACTOR is 4, and Kafka has 3 brokers';

  it('refuses to make a topic, and makes none', async () => {
    const unknown = () => Promise.reject(refusal('UNKNOWN_TOPIC_OR_PARTITION'));
    const topics = new Topics(cluster(jest.fn(), unknown), wanted);
    await expect(topics.ensure([SPEC])).rejects.toThrow(fault);
  });

  it('reports it once when no topic is missing: a broker may be down for a while', async () => {
    const reported: string[] = [];
    const topics = new Topics(
      cluster(() => Promise.resolve(described)),
      wanted,
      (what) => reported.push(what),
    );
    await topics.ensure([SPEC]);
    await topics.ensure([SPEC]);
    expect(reported).toEqual([expect.stringContaining(fault)]);
  });

  it('reports nothing with enough brokers', async () => {
    const reported: string[] = [];
    const answers = cluster(() => Promise.resolve(described));
    await new Topics(answers, { factor: 3 }, (what) => reported.push(what)).ensure([SPEC]);
    expect(reported).toEqual([]);
  });
});

it('names the missing permission without a retry', async () => {
  const ask = jest.fn().mockRejectedValue(refusal('TOPIC_AUTHORIZATION_FAILED'));
  await expect(new Topics(cluster(ask)).ensure([SPEC])).rejects.toThrow(
    'the right DescribeConfigs on it is needed',
  );
  expect(ask).toHaveBeenCalledTimes(1);
});

it('knows the partition count of a topic that it has ensured, when another broker does not know it yet', async () => {
  const metadata = jest.fn(isLed);
  const topics = new Topics(cluster(() => Promise.resolve(described), metadata));
  await topics.ensure([SPEC]);
  metadata.mockRejectedValue(refusal('UNKNOWN_TOPIC_OR_PARTITION'));
  expect(await topics.partitionsOf(SPEC.name)).toBe(SPEC.partitions);
  await expect(topics.partitionsOf('another')).rejects.toThrow('topic another does not exist');
});
