import { MAX_TOPIC_PREFIX } from '@penstock/contracts';
import { isBootstrapKeyForm } from '../keys/api-key';
import {
  addressRanges,
  boolean,
  brokers,
  duration,
  host,
  httpUrl,
  integer,
  listOf,
  matching,
  oneOf,
  pairs,
  port,
  postgresUrl,
  ratio,
  text,
} from './kinds';
import type { Config, ConfigRule } from './read-config';
import { Variable } from './variable';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const bootstrapKey = Variable.of(
  'an API key (pk_ and 40 characters with a right check sum), or 32 to 128 URL-safe characters that do not begin with pk_',
  (value) => (isBootstrapKeyForm(value) ? value : undefined),
);

const connectorCodes = listOf('connector codes', (item) =>
  /^[a-z\d][a-z\d_-]{0,59}$/.test(item) ? item : undefined,
);

const topicPrefix = matching(
  new RegExp(`^(?!.*runs\\.$)[\\w.-]{1,${MAX_TOPIC_PREFIX}}$`),
  `1 to ${MAX_TOPIC_PREFIX} letters, digits, dots, underscores and hyphens, and not end in \`runs.\``,
);

/** The most replicas of a partition that Kafka can have. */
const MAX_REPLICAS = 32_767;
const replicas = integer({ min: 1, max: MAX_REPLICAS });

/** The variables that mean the same in every process. A service adds its own by spreading this table. */
export const PENSTOCK_VARIABLES = {
  PENSTOCK_PORT: port.or(8080),
  PENSTOCK_HOST: host.or('127.0.0.1'),
  PENSTOCK_OPS_PORT: port.or(9090),
  PENSTOCK_OPS_HOST: host.or('127.0.0.1'),
  PENSTOCK_DRAIN_SECONDS: integer({ min: 0, max: 600 }).or(5),
  PENSTOCK_SHUTDOWN_SECONDS: integer({ min: 5, max: 3_600 }).or(25),
  PENSTOCK_DATA: text().or('.penstock'),
  DATABASE_URL: postgresUrl,
  KAFKA_BROKERS: brokers,
  KAFKA_TLS: boolean.or(false),
  KAFKA_SASL_MECHANISM: oneOf(['plain', 'scram-sha-256', 'scram-sha-512']),
  KAFKA_SASL_USERNAME: text(),
  KAFKA_SASL_PASSWORD: text(),
  KAFKA_REPLICATION_FACTOR: replicas,
  KAFKA_MIN_INSYNC_REPLICAS: replicas,
  PENSTOCK_PREFIX: topicPrefix,
  PENSTOCK_EVENTS_PARTITIONS: integer({ min: 1, max: 1_024 }),
  PENSTOCK_EVENTS_RETENTION: duration({ min: '2d', max: '3650d' }).or(30 * DAY_MS),
  PENSTOCK_EVENTS_FROM: oneOf(['earliest', 'latest']),
  PENSTOCK_RETRY_HOURS: integer({ min: 1, max: 87_600 }).or(24),
  PENSTOCK_DEAD_LETTER_DAYS: integer({ min: 1, max: 3_650 }).or(14),
  PENSTOCK_DUPLICATE_WINDOW_HOURS: integer({ min: 1, max: 720 }).or(24),
  PENSTOCK_BOOTSTRAP_KEY: bootstrapKey,
  PENSTOCK_SECRET: text({ minLength: 32 }),
  PENSTOCK_DEMO: boolean,
  PENSTOCK_EGRESS_ALLOW: addressRanges.or([]),
  PENSTOCK_TRUSTED_PROXIES: addressRanges.or([]),
  PENSTOCK_CONNECTORS: connectorCodes,
  PENSTOCK_FUNCTION_TIMEOUT_MS: integer({ min: 100, max: 300_000 }).or(10_000),
  PENSTOCK_FUNCTION_MAX_MIB: integer({ min: 64, max: 4_096 }).or(256),
  PENSTOCK_FUNCTION_TOTAL_MIB: integer({ min: 512, max: 65_536 }),
  PENSTOCK_ROUTER_MEMORY_MIB: integer({ min: 16, max: 65_536 }).or(256),
  PENSTOCK_DATABASE_CONNECTIONS: integer({ min: 4, max: 1_000 }).or(12),
  PENSTOCK_WAREHOUSE_URL: postgresUrl,
  PENSTOCK_FILES_ROOT: text(),
  PENSTOCK_FILES_SPOOL: text(),
  PENSTOCK_GEOIP: text(),
  LOG_LEVEL: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).or('info'),
  LOG_FORMAT: oneOf(['json', 'pretty']),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl,
  OTEL_EXPORTER_OTLP_HEADERS: pairs.or({}),
  OTEL_SDK_DISABLED: oneOf(['true', 'false']).or('false'),
  OTEL_SERVICE_NAME: text({ maxLength: 255 }),
  OTEL_RESOURCE_ATTRIBUTES: pairs.or({}),
  OTEL_TRACES_SAMPLER: oneOf([
    'always_on',
    'always_off',
    'traceidratio',
    'parentbased_always_on',
    'parentbased_always_off',
    'parentbased_traceidratio',
  ]).or('parentbased_traceidratio'),
  OTEL_TRACES_SAMPLER_ARG: ratio.or(0.01),
} as const;

/** The values of the environment variables that every service reads. */
export type PenstockConfig = Config<typeof PENSTOCK_VARIABLES>;

const SASL = ['KAFKA_SASL_MECHANISM', 'KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD'] as const;

const saslIsWhole: ConfigRule<PenstockConfig> = (config) => {
  const missing = SASL.filter((name) => config[name] === undefined);
  return missing.length === 0 || missing.length === SASL.length
    ? undefined
    : `${missing.join(', ')} must be set too: ${SASL.join(', ')} go together`;
};

const replicasSuffice: ConfigRule<PenstockConfig> = ({
  KAFKA_REPLICATION_FACTOR: factor,
  KAFKA_MIN_INSYNC_REPLICAS: inSync,
}) =>
  factor !== undefined && inSync !== undefined && inSync > factor
    ? 'KAFKA_MIN_INSYNC_REPLICAS must not be more than KAFKA_REPLICATION_FACTOR: nothing could be appended'
    : undefined;

const ofKafka = [
  'PENSTOCK_PREFIX',
  'KAFKA_REPLICATION_FACTOR',
  'KAFKA_MIN_INSYNC_REPLICAS',
] as const;

/** In a database, topics need no prefix: a second installation needs a database of its own. */
const kafkaIsUsed: ConfigRule<PenstockConfig> = (config) => {
  const idle = ofKafka.filter((name) => config[name] !== undefined);
  return config.KAFKA_BROKERS === undefined && idle.length > 0
    ? `${idle.join(', ')} must not be set without KAFKA_BROKERS: the log in the database has no use for it`
    : undefined;
};

const functionFits: ConfigRule<PenstockConfig> = ({
  PENSTOCK_FUNCTION_MAX_MIB: one,
  PENSTOCK_FUNCTION_TOTAL_MIB: all,
}) =>
  all !== undefined && all < one
    ? 'PENSTOCK_FUNCTION_TOTAL_MIB must not be less than PENSTOCK_FUNCTION_MAX_MIB'
    : undefined;

/** Part of {@link PENSTOCK_RULES}: what a program need not keep to that opens nothing that is sealed. */
export const secretIsGiven: ConfigRule<PenstockConfig> = ({ DATABASE_URL, PENSTOCK_SECRET }) =>
  DATABASE_URL !== undefined && PENSTOCK_SECRET === undefined
    ? 'PENSTOCK_SECRET must be set when DATABASE_URL is'
    : undefined;

/** What is tried again is read from the log again: it has to be there, with a day to spare. */
const retriesEndInTime: ConfigRule<PenstockConfig> = ({
  PENSTOCK_RETRY_HOURS,
  PENSTOCK_EVENTS_RETENTION,
}) =>
  PENSTOCK_RETRY_HOURS * HOUR_MS > PENSTOCK_EVENTS_RETENTION - DAY_MS
    ? 'PENSTOCK_EVENTS_RETENTION must be longer than PENSTOCK_RETRY_HOURS by a day or more: keep events longer, or try them for less long'
    : undefined;

/** Requests under way, and what runs behind them, end after the drain. */
const CLOSING_SECONDS = 5;

const drainEndsInTime: ConfigRule<PenstockConfig> = ({
  PENSTOCK_DRAIN_SECONDS,
  PENSTOCK_SHUTDOWN_SECONDS,
}) =>
  PENSTOCK_DRAIN_SECONDS + CLOSING_SECONDS > PENSTOCK_SHUTDOWN_SECONDS
    ? `PENSTOCK_SHUTDOWN_SECONDS must be longer than PENSTOCK_DRAIN_SECONDS by ${CLOSING_SECONDS} or more`
    : undefined;

/** What holds between {@link PENSTOCK_VARIABLES}: the third argument of `readConfig`. */
export const PENSTOCK_RULES: readonly ConfigRule<PenstockConfig>[] = [
  saslIsWhole,
  replicasSuffice,
  kafkaIsUsed,
  functionFits,
  secretIsGiven,
  retriesEndInTime,
  drainEndsInTime,
];
