import { Kafka, type KafkaConfig, type logCreator, logLevel } from 'kafkajs';
import type { KafkaLogger } from './kafka-logger';

/** Connection settings of kafkajs, passed through unchanged. */
type KafkaConnection = Pick<
  KafkaConfig,
  'brokers' | 'ssl' | 'sasl' | 'socketFactory' | 'connectionTimeout' | 'authenticationTimeout'
>;

export interface KafkaClientOptions extends KafkaConnection {
  /** Appears in the brokers' logs and quotas. */
  readonly clientId: string;
  readonly logger?: KafkaLogger;
}

/**
 * Above the session timeout of a broker (9 s), after which the cluster continues without it, so that a request which
 * waits for a dead follower is answered; and below the default time-out of an append, so that a request to a silent
 * broker is still retried at another.
 */
const REQUEST_TIMEOUT_MS = 15_000;

/**
 * Sets every value, since kafkajs has other defaults when NODE_ENV is `test`. Few retries: callers have a deadline and
 * retry themselves.
 */
export const RETRY = {
  initialRetryTime: 100,
  maxRetryTime: 1_000,
  multiplier: 2,
  factor: 0.2,
  retries: 3,
};

/**
 * Creates a client. Each consumer needs its own: kafkajs keeps the committed offsets of a group per client, and two
 * members of one group in one client clear each other's, which stops one of them for good.
 *
 * @param retries of a connection, 0.1 to 1 s apart.
 */
export const kafkaClient = (
  { logger = silent, ...connection }: KafkaClientOptions,
  retries = RETRY.retries,
): Kafka =>
  new Kafka({
    ...connection,
    requestTimeout: REQUEST_TIMEOUT_MS,
    retry: { ...RETRY, retries },
    logLevel: logLevel.WARN,
    logCreator: routedTo(logger),
  });

/** Fields of kafkajs that are forwarded; others may contain payloads or stacks. */
const FIELDS = ['error', 'broker', 'groupId', 'memberId', 'topic', 'partition', 'retryCount'];

/**
 * Forwards errors and warnings of kafkajs as warnings, since the adapter retries. Drops lower levels, whatever
 * KAFKAJS_LOG_LEVEL is: debug lines contain payloads.
 */
const routedTo =
  (logger: KafkaLogger): logCreator =>
  () =>
  ({ namespace, level, log }) => {
    if (level !== logLevel.ERROR && level !== logLevel.WARN) return;
    const fields = FIELDS.flatMap((name) => {
      const value: unknown = log[name];
      return typeof value === 'string' || typeof value === 'number' ? [[name, value] as const] : [];
    });
    const part = namespace ? `kafkajs ${namespace}` : 'kafkajs';
    logger('warn', `${part}: ${log.message}`, Object.fromEntries(fields));
  };

const silent: KafkaLogger = () => undefined;
