import { EmbeddedPostgresError } from '@penstock/embedded-postgres';
import { LogUnavailable, type Unsuitable, UnsuitableTopic } from '@penstock/messaging';
import { CannotStart } from '@penstock/runtime';

/** What a process was to connect to. */
export interface Connections {
  /** Absent: the embedded database. */
  readonly DATABASE_URL?: string | undefined;
  /** Absent: the log is in the database. */
  readonly KAFKA_BROKERS?: readonly string[] | undefined;
}

/** An error of Node, of pg, or of one connection attempt per address. */
type Coded = Error & {
  readonly code?: unknown;
  readonly severity?: unknown;
  readonly syscall?: unknown;
  readonly errors?: readonly Coded[];
};

/** An error and what caused it, the error first. */
const chainOf = (error: unknown): Coded[] =>
  error instanceof Error ? [error, ...chainOf(error.cause)] : [];

const CONNECTING: readonly unknown[] = ['connect', 'getaddrinfo'];

/** Errors that pg gives no code: they are recognised by their texts. */
const NO_CONNECTION_TEXT = /timeout exceeded when trying to connect|Connection terminated/;

const START_IT = 'start it, or correct DATABASE_URL';
const CORRECT_IT = 'correct DATABASE_URL';
const START_LATER = 'start again when it accepts connections';

/** What to do about a refusal of PostgreSQL, by the beginning of its SQLSTATE. */
const ADVICE: readonly (readonly [state: string, advice: string])[] = [
  ['28', CORRECT_IT],
  ['3D', `create it, or ${CORRECT_IT}`],
  ['42501', 'grant its user what is missing: it must be allowed to create schemas'],
  ['53', START_LATER],
  ['57P03', START_LATER],
];

/** The database without user and password. */
const nameOf = (databaseUrl: string): string => {
  const { hostname, port, pathname, searchParams } = new URL(databaseUrl);
  const host = hostname === '' ? (searchParams.get('host') ?? '') : hostname;
  return `the database ${host}:${port === '' ? '5432' : port}${pathname}`;
};

const isNoConnection = ({ syscall, message, errors }: Coded): boolean =>
  CONNECTING.includes(syscall) ||
  NO_CONNECTION_TEXT.test(message) ||
  errors?.some(isNoConnection) === true;

/** Errors of connections to several addresses have a code and no text. */
const reasonOf = ({ message, code }: Coded): string => (message === '' ? String(code) : message);

const explainDatabase = (chain: readonly Coded[], { DATABASE_URL }: Connections) => {
  // Nothing that the operator has set can be wrong about the embedded one.
  if (DATABASE_URL === undefined) return undefined;
  const name = nameOf(DATABASE_URL);
  const unconnected = chain.find(isNoConnection);
  if (unconnected !== undefined)
    return `${name} cannot be reached (${reasonOf(unconnected)}): ${START_IT}`;
  for (const error of chain) {
    const { code, severity } = error;
    if (typeof code !== 'string' || typeof severity !== 'string') continue;
    const advice = ADVICE.find(([state]) => code.startsWith(state))?.[1];
    if (advice !== undefined) return `${name} refuses (${error.message}): ${advice}`;
  }
  return undefined;
};

const explainLog = (chain: readonly Coded[], { KAFKA_BROKERS }: Connections) => {
  const unavailable = chain.find((error) => error instanceof LogUnavailable);
  if (unavailable === undefined || KAFKA_BROKERS === undefined) return undefined;
  const brokers = KAFKA_BROKERS.join(', ');
  const unconnected = chain.find(isNoConnection);
  return unconnected === undefined
    ? `Kafka at ${brokers} cannot be used now (${unavailable.message}): start again when all of its brokers run`
    : `no Kafka broker of ${brokers} can be reached (${reasonOf(unconnected)}): start them, or correct KAFKA_BROKERS`;
};

/** Errors whose message says what to do. */
const EXPLAINED = [CannotStart, EmbeddedPostgresError] as const;

/** What to do about a topic that does not fit. */
const TOPIC_ADVICE: Readonly<Record<Unsuitable, string>> = {
  partitions: 'set PENSTOCK_EVENTS_PARTITIONS as it was when the topics were made',
  retention: 'correct the retention of the topic',
  replicas: 'start more brokers, or set KAFKA_REPLICATION_FACTOR and KAFKA_MIN_INSYNC_REPLICAS',
  rights: 'grant it to the user of KAFKA_SASL_USERNAME',
};

const explainTopic = (chain: readonly Coded[]): string | undefined => {
  const unsuitable = chain.find((error) => error instanceof UnsuitableTopic);
  return unsuitable && `${unsuitable.message}: ${TOPIC_ADVICE[unsuitable.what]}`;
};

const explainKnown = (chain: readonly Coded[]): string | undefined =>
  chain.find((error) => EXPLAINED.some((kind) => error instanceof kind))?.message;

/**
 * Explains why a process did not start, in one line: what, where, and what to do.
 *
 * @returns undefined when the cause is not one that the operator can remove: then the stack is needed.
 */
export const explainFailedStart = (
  error: unknown,
  connections: Connections = {},
): string | undefined => {
  const chain = chainOf(error);
  const text =
    explainKnown(chain) ??
    explainTopic(chain) ??
    explainLog(chain, connections) ??
    explainDatabase(chain, connections);
  return text?.replace(/\s*\n\s*/g, ' ');
};
