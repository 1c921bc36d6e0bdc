import { type ConfigEntries, ConfigSource } from 'kafkajs';
import { retentionChange } from './retention-change';
import { topicConfig } from './topic-config';

const DAY_MS = 86_400_000;

const entry = (configName: string, configValue: string, changes: Partial<ConfigEntries> = {}) => ({
  configName,
  configValue,
  isDefault: false,
  configSource: ConfigSource.TOPIC_CONFIG,
  isSensitive: false,
  readOnly: false,
  configSynonyms: [],
  ...changes,
});

type Retention = Parameters<typeof topicConfig>[0]['retention'];

const spec = (retention: Retention) => ({ name: 'events', partitions: 4, retention });

/** The entries that brokers report for a new topic with this retention. */
const made = (retention: Retention): ConfigEntries[] => [
  ...(topicConfig(spec(retention), { factor: 3, minInSync: 2 }).configEntries ?? []).map(
    ({ name, value }) => entry(name, value),
  ),
  entry('max.message.bytes', '1048588', { configSource: ConfigSource.DEFAULT_CONFIG }),
];

it.each(['compact', 'forever', 7 * DAY_MS] as const)(
  'changes nothing when the retention is right: %s',
  (retention) => {
    expect(retentionChange(spec(retention), made(retention))).toBeUndefined();
  },
);

it.each([
  [7 * DAY_MS, 30 * DAY_MS],
  [30 * DAY_MS, 7 * DAY_MS],
])('from %d to %d ms changes the time, and no other entry', (before, after) => {
  const own = entry('max.message.bytes', '2000000');
  const others = made(before).filter(({ configName }) => configName !== 'max.message.bytes');
  const change = retentionChange(spec(after), [...others, own]);
  const expected = [
    ...(topicConfig(spec(after), { factor: 3, minInSync: 2 }).configEntries ?? []),
    { name: 'max.message.bytes', value: '2000000' },
  ];
  const byName = (one: { name: string }, other: { name: string }) =>
    one.name < other.name ? -1 : 1;
  expect(change?.sort(byName)).toEqual(expected.sort(byName));
});

it("leaves out the brokers' default entries", () => {
  const change = retentionChange(spec(DAY_MS), [
    ...made(2 * DAY_MS),
    entry('fixed', '1', { readOnly: true }),
  ]);
  const names = change?.map(({ name }) => name);
  expect(names).toContain('retention.ms');
  expect(names).not.toContain('max.message.bytes');
  expect(names).not.toContain('fixed');
});

it.each([
  ['forever', DAY_MS],
  [DAY_MS, 'forever'],
  ['compact', DAY_MS],
  ['compact', 'forever'],
  ['forever', 'compact'],
] as const)('refuses to change a topic kept as %s to %s', (before, after) => {
  expect(() => retentionChange(spec(after), made(before))).toThrow(/^topic events is kept as /);
});
