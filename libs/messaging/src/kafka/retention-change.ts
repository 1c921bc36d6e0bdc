import { type ConfigEntries, ConfigSource, type IResourceConfigEntry } from 'kafkajs';
import type { TopicSpec } from '../message-log';
import { topicConfig } from './topic-config';

/** Brokers know how to replace the configuration of a topic as a whole only. */
const isOwn = ({ configSource, readOnly }: ConfigEntries): boolean =>
  configSource === ConfigSource.TOPIC_CONFIG && !readOnly;

const presentKind = (valueOf: (name: string) => string | undefined): string => {
  if (valueOf('cleanup.policy')?.includes('compact') ?? false) return 'compact';
  return valueOf('retention.ms') === '-1' ? 'forever' : (valueOf('retention.ms') ?? 'unknown');
};

const isTime = (retention: string): boolean => /^\d+$/.test(retention);

/**
 * What the configuration of an existing topic has to be for its records to be kept as long as they should: all of its
 * own entries, with what the operator has set beside. Another time is taken over; another kind might lose what is there.
 *
 * @param present every entry, as the brokers describe it.
 * @returns undefined where nothing is to be changed.
 * @throws Error naming the topic when it is kept in another way.
 */
export const retentionChange = (
  spec: TopicSpec,
  present: readonly ConfigEntries[],
): IResourceConfigEntry[] | undefined => {
  const valueOf = (name: string): string | undefined =>
    present.find(({ configName }) => configName === name)?.configValue;
  const [kept, wanted] = [presentKind(valueOf), String(spec.retention)];
  if (kept === wanted) return undefined;
  if (!isTime(kept) || !isTime(wanted))
    throw new Error(`topic ${spec.name} is kept as ${kept}, not ${wanted}`);
  const made = new Map(topicConfig(spec, 1).configEntries?.map(({ name, value }) => [name, value]));
  const own = new Map(
    present.filter(isOwn).map(({ configName, configValue }) => [configName, configValue]),
  );
  for (const name of ['retention.ms', 'segment.ms']) own.set(name, made.get(name) ?? '');
  return [...own].map(([name, value]) => ({ name, value }));
};
