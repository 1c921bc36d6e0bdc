import { Kafka, type KafkaConfig, type logCreator, logLevel } from 'kafkajs';

/** What the adapter and kafkajs have to say. Fields name topics, partitions, brokers; never a body or a secret. */
export type KafkaLogger = (
  level: 'error' | 'warn',
  message: string,
  fields: Readonly<Record<string, unknown>>,
) => void;

/** How to reach the brokers: kafkajs' own settings, passed through. */
type KafkaConnection = Pick<
  KafkaConfig,
  'brokers' | 'ssl' | 'sasl' | 'socketFactory' | 'connectionTimeout' | 'authenticationTimeout'
>;

export interface KafkaClientOptions extends KafkaConnection {
  /** Shown in the brokers' logs and quotas. */
  readonly clientId: string;
  readonly logger?: KafkaLogger;
}

/**
 * Stands above the session timeout of a broker (9 s), after which the others go on without it, so that a
 * request that waits for a dead follower is answered; and below an append's default timeout, so that a
 * request to a silent broker is still tried at another.
 */
const REQUEST_TIMEOUT_MS = 15_000;

/**
 * Every setting is named, since kafkajs takes other defaults when NODE_ENV is `test`. The tries in here are
 * few: whoever calls has a deadline and tries again.
 */
export const RETRY = {
  initialRetryTime: 100,
  maxRetryTime: 1_000,
  multiplier: 2,
  factor: 0.2,
  retries: 3,
};

/**
 * A client of its own for each consumer: kafkajs keeps the committed offsets of a group per client, and two
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

/** The fields of kafkajs that are passed on; others may hold payloads or stacks. */
const FIELDS = ['error', 'broker', 'groupId', 'memberId', 'topic', 'partition', 'retryCount'];

/**
 * What kafkajs calls an error is tried again here, and so a warning. Anything below is dropped, whatever
 * KAFKAJS_LOG_LEVEL says: its debug lines hold payloads.
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
