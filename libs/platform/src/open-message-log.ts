import {
  KafkaMessageLog,
  type KafkaMessageLogOptions,
  type MessageLog,
  PostgresMessageLog,
  PrefixedLog,
} from '@penstock/messaging';
import { type Logger, Outages, type PenstockConfig } from '@penstock/runtime';

const sasl = ({
  KAFKA_SASL_MECHANISM: mechanism,
  KAFKA_SASL_USERNAME: username,
  KAFKA_SASL_PASSWORD: password,
}: PenstockConfig) =>
  mechanism === undefined || username === undefined || password === undefined
    ? {}
    : { sasl: { mechanism, username, password } as NonNullable<KafkaMessageLogOptions['sasl']> };

const replication = ({
  KAFKA_REPLICATION_FACTOR: factor,
  KAFKA_MIN_INSYNC_REPLICAS: minInSync,
}: PenstockConfig): NonNullable<KafkaMessageLogOptions['replication']> => ({
  ...(factor !== undefined && { factor }),
  ...(minInSync !== undefined && { minInSync }),
});

/** Kafka where brokers are named, with the prefix of the installation's topics; else the log in the database. */
export const openMessageLog = (
  config: PenstockConfig,
  databaseUrl: string,
  service: string,
  logger: Logger,
): MessageLog => {
  const { KAFKA_BROKERS, KAFKA_TLS, PENSTOCK_PREFIX } = config;
  if (KAFKA_BROKERS === undefined) {
    const outages = new Outages(logger);
    return new PostgresMessageLog({
      connection: { connectionString: databaseUrl },
      onFault: (what, err) => {
        outages.report({ what: `the log in PostgreSQL: ${what}`, err, level: 'warn' });
      },
    });
  }
  const whole = new KafkaMessageLog({
    brokers: [...KAFKA_BROKERS],
    clientId: `penstock-${service}`,
    ssl: KAFKA_TLS,
    ...sasl(config),
    replication: replication(config),
    logger: (level, message, fields) => {
      logger[level](fields, message);
    },
  });
  return PENSTOCK_PREFIX === undefined ? whole : new PrefixedLog(whole, PENSTOCK_PREFIX);
};
