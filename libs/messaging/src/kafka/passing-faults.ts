import { typesOf } from './kafka-errors';
import { textOfErrorType } from './kafkajs-internals';

/**
 * Answers of brokers that are normal for a while: topics and their leaders are made, groups find their coordinator and
 * share their partitions anew, several processes create the same topic. Source: Kafka's protocol error codes.
 */
const PASSING_TYPES = [
  'UNKNOWN_TOPIC_OR_PARTITION',
  'LEADER_NOT_AVAILABLE',
  'NOT_LEADER_FOR_PARTITION',
  'REPLICA_NOT_AVAILABLE',
  'GROUP_LOAD_IN_PROGRESS',
  'GROUP_COORDINATOR_NOT_AVAILABLE',
  'NOT_COORDINATOR_FOR_GROUP',
  'ILLEGAL_GENERATION',
  'UNKNOWN_MEMBER_ID',
  'REBALANCE_IN_PROGRESS',
  'TOPIC_ALREADY_EXISTS',
  'NOT_CONTROLLER',
  'FENCED_LEADER_EPOCH',
  'UNKNOWN_LEADER_EPOCH',
  'MEMBER_ID_REQUIRED',
] as const;

/** Texts of the same faults, where kafkajs or `membership.ts` give no type. */
const PASSING_TEXTS = [
  ...PASSING_TYPES.map(textOfErrorType),
  'Topic creation errors',
  'the group could not be joined',
  'the last join of the group was not finished',
];

/** The cluster decides a new leader or coordinator within the session of a broker (9 s), and rebalances within 15 s. */
const ANSWER_GRACE_MS = 30_000;

/** Texts of kafkajs about a connection. */
const CONNECTION_TEXTS = [
  'Connection error',
  'Connection timeout',
  'Closed connection',
  'Failed to connect',
  'Not connected',
  'timed out',
];

/** A connection that was lost once is opened again at once. */
const CONNECTION_GRACE_MS = 5_000;

const textsOf = (error: unknown): string[] => {
  const texts: string[] = [];
  for (let at: unknown = error; at instanceof Error && texts.length < 10; at = at.cause)
    texts.push(at.message);
  return typeof error === 'string' ? [error] : texts;
};

/**
 * Returns for how many milliseconds a fault may last before it concerns anybody: 0 for all that are not known to pass
 * by themselves, such as missing rights.
 *
 * @param error an Error, or the text that kafkajs logs of one.
 */
export const graceMs = (message: string, error: unknown): number => {
  const texts = [message, ...textsOf(error)];
  const contains = (part: string): boolean => texts.some((text) => text.includes(part));
  const types = typesOf(error);
  if (PASSING_TYPES.some((type) => types.includes(type)) || PASSING_TEXTS.some(contains))
    return ANSWER_GRACE_MS;
  return CONNECTION_TEXTS.some(contains) ? CONNECTION_GRACE_MS : 0;
};
