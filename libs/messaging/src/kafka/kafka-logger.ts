/**
 * Receives log lines of the adapter and of kafkajs. Fields name topics, partitions, brokers; never payloads or secrets.
 */
export type KafkaLogger = (
  level: 'error' | 'warn' | 'debug',
  message: string,
  fields: Readonly<Record<string, unknown>>,
) => void;
