import type { KafkaMessage } from 'kafkajs';
import type { LogRecord } from '../message-log';

/** A message as the port shows it. */
export const logRecord = (
  partition: number,
  { key, value, offset, timestamp }: Pick<KafkaMessage, 'key' | 'value' | 'offset' | 'timestamp'>,
): LogRecord => ({
  key: key?.toString() ?? '',
  value: value?.toString() ?? null,
  partition,
  offset: Number(offset),
  timestampMs: Number(timestamp),
});
