import {
  KafkaMessageLog,
  type KafkaMessageLogOptions,
  type MessageLog,
  PostgresMessageLog,
} from '@penstock/messaging';
import type { Logger, PenstockConfig } from '@penstock/runtime';

const sasl = ({
  KAFKA_SASL_MECHANISM: mechanism,
  KAFKA_SASL_USERNAME: username,
  KAFKA_SASL_PASSWORD: password,
}: PenstockConfig) =>
  mechanism === undefined || username === undefined || password === undefined
    ? {}
    : { sasl: { mechanism, username, password } as NonNullable<KafkaMessageLogOptions['sasl']> };

/** Kafka where brokers are named, else the log in the database. */
export const openMessageLog = (
  config: PenstockConfig,
  databaseUrl: string,
  service: string,
  logger: Logger,
): MessageLog => {
  const { KAFKA_BROKERS, KAFKA_TLS } = config;
  if (KAFKA_BROKERS === undefined)
    return new PostgresMessageLog({
      connection: { connectionString: databaseUrl },
      onFault: (what, err) => {
        logger.warn({ err }, `message log: ${what}`);
      },
    });
  return new KafkaMessageLog({
    brokers: [...KAFKA_BROKERS],
    clientId: `penstock-${service}`,
    ssl: KAFKA_TLS,
    ...sasl(config),
    logger: (level, message, fields) => {
      logger[level](fields, message);
    },
  });
};
