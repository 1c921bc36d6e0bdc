import type { ITopicConfig } from 'kafkajs';
import type { TopicSpec } from '../message-log';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const WEEK_MS = 604_800_000;

/**
 * A topic as it is made: three replicas where there are three brokers, of which two must hold a message before
 * it is acknowledged, so that the loss of any one broker neither loses nor stops anything.
 */
export const topicConfig = (
  { name, partitions, retention }: TopicSpec,
  brokers: number,
): ITopicConfig => {
  const replicationFactor = Math.min(3, brokers);
  const entries = {
    'min.insync.replicas': replicationFactor === 3 ? '2' : '1',
    'message.timestamp.type': 'LogAppendTime',
    ...retentionEntries(retention),
  };
  return {
    topic: name,
    numPartitions: partitions,
    replicationFactor,
    configEntries: Object.entries(entries).map(([entry, value]) => ({ name: entry, value })),
  };
};

/**
 * What another record of its key, or a tombstone, follows is gone soon: Kafka's own defaults would keep it until half of
 * the topic is superseded, or for ever. The lag also bounds the age of the segment that is written to, which is never
 * compacted, though a new one begins only when something is appended.
 */
const COMPACTED = {
  'cleanup.policy': 'compact',
  'max.compaction.lag.ms': `${HOUR_MS}`,
  'delete.retention.ms': `${DAY_MS}`,
};

const retentionEntries = (retention: TopicSpec['retention']): Record<string, string> => {
  if (retention === 'compact') return COMPACTED;
  const days = { 'cleanup.policy': 'delete', 'retention.bytes': '-1' };
  if (retention === 'forever') return { ...days, 'retention.ms': '-1' };
  return { ...days, 'retention.ms': `${retention}`, 'segment.ms': `${segmentMs(retention)}` };
};

/** Kafka drops whole segments, and never the one being written: a tenth of the time bounds what is kept longer. */
const segmentMs = (retentionMs: number): number =>
  Math.min(WEEK_MS, Math.max(MINUTE_MS, Math.floor(retentionMs / 10)));
