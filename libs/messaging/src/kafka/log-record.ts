import type { KafkaMessage } from 'kafkajs';
import type { LogRecord } from '../message-log';

/** Converts a message of kafkajs into a record of the port. */
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
