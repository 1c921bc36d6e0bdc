import type { ITopicConfig } from 'kafkajs';
import type { TopicSpec } from '../message-log';
import type { replicationFor } from './replication';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const WEEK_MS = 604_800_000;

/** Configuration of a new topic. */
export const topicConfig = (
  { name, partitions, retention }: TopicSpec,
  { factor, minInSync }: ReturnType<typeof replicationFor>,
): ITopicConfig => {
  const entries = {
    'min.insync.replicas': `${minInSync}`,
    'message.timestamp.type': 'LogAppendTime',
    ...retentionEntries(retention),
  };
  return {
    topic: name,
    numPartitions: partitions,
    replicationFactor: factor,
    configEntries: Object.entries(entries).map(([entry, value]) => ({ name: entry, value })),
  };
};

/**
 * Deletes superseded records soon: with Kafka's defaults they would be kept until half of the topic is superseded, or
 * for ever. The lag also bounds the age of the active segment, which is never compacted, though a new segment begins
 * only with an append.
 */
const COMPACTED = {
  'cleanup.policy': 'compact',
  'max.compaction.lag.ms': `${HOUR_MS}`,
  'delete.retention.ms': `${DAY_MS}`,
};

/** The entries of a topic's configuration that say how long its records are kept. */
export const retentionEntries = (retention: TopicSpec['retention']): Record<string, string> => {
  if (retention === 'compact') return COMPACTED;
  const days = { 'cleanup.policy': 'delete', 'retention.bytes': '-1' };
  if (retention === 'forever') return { ...days, 'retention.ms': '-1' };
  return { ...days, 'retention.ms': `${retention}`, 'segment.ms': `${segmentMs(retention)}` };
};

/**
 * Kafka drops whole segments, and never the active one: a tenth of the retention bounds how long records are kept
 * beyond it.
 */
const segmentMs = (retentionMs: number): number =>
  Math.min(WEEK_MS, Math.max(MINUTE_MS, Math.floor(retentionMs / 10)));
