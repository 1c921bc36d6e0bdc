import { topicConfig } from './topic-config';

const entriesOf = (
  ...[spec, replication]: Parameters<typeof topicConfig>
): Record<string, string> =>
  Object.fromEntries(
    (topicConfig(spec, replication).configEntries ?? []).map(({ name, value }) => [name, value]),
  );

const SEVERAL = { factor: 5, minInSync: 3 };

const topic = { name: 't', partitions: 4, retention: 'forever' } as const;

it('makes as many replicas, and waits for as many, as it is told', () => {
  expect(topicConfig(topic, SEVERAL)).toMatchObject({ numPartitions: 4, replicationFactor: 5 });
  expect(entriesOf(topic, SEVERAL)['min.insync.replicas']).toBe('3');
});

it.each([
  ['forever' as const, { 'cleanup.policy': 'delete', 'retention.ms': '-1' }],
  [
    'compact' as const,
    {
      'cleanup.policy': 'compact',
      'max.compaction.lag.ms': '3600000',
      'delete.retention.ms': '86400000',
    },
  ],
  [60_000, { 'cleanup.policy': 'delete', 'retention.ms': '60000', 'segment.ms': '60000' }],
  [864_000_000, { 'retention.ms': '864000000', 'segment.ms': '86400000' }],
  [31_536_000_000, { 'retention.ms': '31536000000', 'segment.ms': '604800000' }],
])('keeps records %s', (retention, expected) => {
  expect(entriesOf({ ...topic, retention }, SEVERAL)).toMatchObject(expected);
});

it('has the brokers set the time of a record', () => {
  expect(entriesOf(topic, SEVERAL)['message.timestamp.type']).toBe('LogAppendTime');
});
