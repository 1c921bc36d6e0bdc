import { topicConfig } from './topic-config';

const entriesOf = (...[spec, brokers]: Parameters<typeof topicConfig>): Record<string, string> =>
  Object.fromEntries(
    (topicConfig(spec, brokers).configEntries ?? []).map(({ name, value }) => [name, value]),
  );

const topic = { name: 't', partitions: 4, retention: 'forever' } as const;

it.each([
  { brokers: 1, replicationFactor: 1, minInSync: '1' },
  { brokers: 2, replicationFactor: 2, minInSync: '1' },
  { brokers: 3, replicationFactor: 3, minInSync: '2' },
  { brokers: 5, replicationFactor: 3, minInSync: '2' },
])(
  'with $brokers brokers makes $replicationFactor replicas, $minInSync in sync',
  ({ brokers, replicationFactor, minInSync }) => {
    expect(topicConfig(topic, brokers)).toMatchObject({ numPartitions: 4, replicationFactor });
    expect(entriesOf(topic, brokers)['min.insync.replicas']).toBe(minInSync);
  },
);

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
  expect(entriesOf({ ...topic, retention }, 1)).toMatchObject(expected);
});

it('has the brokers set the time of a record', () => {
  expect(entriesOf(topic, 1)['message.timestamp.type']).toBe('LogAppendTime');
});
