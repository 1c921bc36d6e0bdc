import type { ErrorReply } from './error-reply';

/**
 * A record of the request topic, as JSON text; the record's key is the request's key, so that requests of one key are
 * handled in order.
 *
 * A request has `id`, `replyTo` and `deadlineMs`; an event has none of them.
 */
export interface RequestMessage {
  /** Nest's normalised pattern, which selects the handler. */
  readonly pattern: string;
  readonly data: unknown;
  /** The command id: the same for repetitions of a command, which get the same answer. */
  readonly id?: string;
  /** The requesting instance: the key of the reply's record. */
  readonly replyTo?: string;
  /** Milliseconds since 1970 after which the requester no longer waits. */
  readonly deadlineMs?: number;
  /** W3C `traceparent` of the span that has sent it; absent: there is none, or it is not sampled. */
  readonly traceparent?: string;
}

/**
 * Pattern of a message that withdraws the request with its id, sent under the same key: whoever has sent that does not
 * wait for the answer any more.
 */
export const WITHDRAWAL = 'withdraw';

/**
 * A record of the reply topic, as JSON text; the record's key is the requesting instance.
 *
 * A handler that returns one value sends one reply with `response` and `isLast`; an observable sends a reply for each
 * value, and the last one, which may be empty, has `isLast`. A failure has `error` and is the last.
 */
export interface ReplyMessage {
  readonly id: string;
  readonly response?: unknown;
  readonly error?: ErrorReply;
  readonly isLast?: true;
}

const parse = (text: string | null): unknown => {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return null;
  }
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const isAbsentOr = (type: 'string' | 'number', value: unknown): boolean =>
  value === undefined || typeof value === type;

/** Parses a request; `undefined` for a text that is none, which cannot be answered. */
export const parseRequest = (text: string | null): RequestMessage | undefined => {
  const message = parse(text);
  if (!isObject(message) || typeof message['pattern'] !== 'string') return undefined;
  const { id, replyTo, deadlineMs, traceparent } = message;
  const isComplete =
    [id, replyTo, traceparent].every((each) => isAbsentOr('string', each)) &&
    isAbsentOr('number', deadlineMs);
  return isComplete ? (message as unknown as RequestMessage) : undefined;
};

/** Parses a reply; `undefined` for a text that is none. */
export const parseReply = (text: string | null): ReplyMessage | undefined => {
  const message = parse(text);
  if (!isObject(message) || typeof message['id'] !== 'string') return undefined;
  return message as unknown as ReplyMessage;
};
