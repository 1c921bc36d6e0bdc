import { type ConfigEntries, ConfigSource, type IResourceConfigEntry } from 'kafkajs';
import type { TopicSpec } from '../message-log';
import { retentionEntries } from './topic-config';

/** Whether an entry is set on the topic itself: brokers can only replace the whole configuration of a topic. */
const isOwn = ({ configSource, readOnly }: ConfigEntries): boolean =>
  configSource === ConfigSource.TOPIC_CONFIG && !readOnly;

const presentKind = (valueOf: (name: string) => string | undefined): string => {
  if (valueOf('cleanup.policy')?.includes('compact') ?? false) return 'compact';
  return valueOf('retention.ms') === '-1' ? 'forever' : (valueOf('retention.ms') ?? 'unknown');
};

const isTime = (retention: string): boolean => /^\d+$/.test(retention);

/**
 * Determines the configuration that gives an existing topic the right retention: all of its own entries, including
 * those that the operator has set. Another time is applied; another kind of retention might delete records.
 *
 * @param present every entry, as the brokers report it.
 * @returns undefined when nothing has to change.
 * @throws Error naming the topic when its retention is of another kind.
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
  const made = retentionEntries(spec.retention);
  const own = new Map(
    present.filter(isOwn).map(({ configName, configValue }) => [configName, configValue]),
  );
  for (const name of ['retention.ms', 'segment.ms']) own.set(name, made[name] ?? '');
  return [...own].map(([name, value]) => ({ name, value }));
};
