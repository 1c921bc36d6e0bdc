import { type Integrations, orderKey } from '@penstock/contracts';
import { type Issue, isJsonObject, type JsonObject, parseJson, writeJson } from '@penstock/schema';
import { v7 } from 'uuid';
import { findFault, typeOf } from './check-members';
import { eventTimes } from './event-times';
import type { EventType } from './event-type';
import { integrationsOf } from './integrations';
import { isText, type Leaf, textOf } from './leaf';
import { normaliseContext } from './normalise-context';
import type { ReceivedContext } from './received-context';
import type { ReceivedEvent } from './received-event';
import { invalid, type Rejection } from './rejection';
import type { RequestFacts } from './sender';
import { writeEvent } from './write-event';

/** An accepted event. */
export interface NormalisedEvent {
  /** JSON text as the codec of events writes it. */
  readonly text: string;
  /** See `bodyDigest` of the contracts. */
  readonly digest: string;
  readonly messageId: string;
  readonly orderKey: string;
  readonly integrations: Integrations | null;
  /** Members of the context that were dropped. */
  readonly warnings: readonly Issue[];
}

/** What the events of one request have in common. */
export interface Surroundings {
  readonly request: RequestFacts;
  readonly typeByPath: EventType | undefined;
  /** The batch's `sentAt` in milliseconds since 1970. */
  readonly batchSentAt: number | undefined;
  readonly batchContext: ReceivedContext | undefined;
  /** Limit for the JSON text of one event as received. */
  readonly maxEventBytes: number;
}

/** Adds ids, times and context to a received event. @returns the rejection when the event cannot be accepted. */
export const normaliseEvent = (
  event: ReceivedEvent,
  surroundings: Surroundings,
): NormalisedEvent | Rejection => {
  const { maxEventBytes, batchContext, request } = surroundings;
  if (!event.isObject) return invalid('', 'an event must be an object');
  if (event.bytes > maxEventBytes) return tooLarge(maxEventBytes);
  const type = typeOf(event, surroundings.typeByPath);
  if (typeof type !== 'string') return type;
  const fault = findFault(event, type);
  if (fault !== undefined) return fault;
  const times = eventTimes(event, surroundings.batchSentAt, request);
  if ('code' in times) return times;
  const { origin } = request;
  const anonymousId = event.anonymousId ?? derivedId(event, request);
  const messageId = event.messageId ?? newMessageId();
  const { text, digest } = writeEvent(event, {
    connection: origin.connection,
    anonymousId,
    messageId,
    type,
    context: normaliseContext(event.context ?? undefined, batchContext, request),
    traits: traitsOf(event, type, batchContext),
    receivedAt: request.receivedAt,
    times,
  });
  return {
    text,
    digest,
    messageId: textOf(messageId),
    orderKey: orderKey(textOf(origin.connection), textOf(anonymousId)),
    integrations: integrationsOf(event.integrations),
    warnings: event.context?.leftOut ?? NONE,
  };
};

const NONE: readonly Issue[] = [];

/** Generates an id that sorts by time. Source: RFC 9562, 5.7. */
const newMessageId = (): Leaf => `"${v7()}"`;

/** Returns the messageId as sent, which identifies a rejected event; undefined when it is not a text. */
export const givenMessageId = ({ messageId }: ReceivedEvent): string | undefined =>
  messageId !== undefined && isText(messageId) ? textOf(messageId) : undefined;

const tooLarge = (maxBytes: number): Rejection => ({
  code: 'EventTooLarge',
  message: `an event must have at most ${String(maxBytes)} bytes`,
  path: '',
});

const derivedId = ({ userId }: ReceivedEvent, { origin }: RequestFacts): Leaf =>
  `"${origin.derivedIds.of(textOf(userId ?? '""'))}"`;

/** Merges the traits. Those of a context are the user's, which SDKs send with each call: a group does not get them. */
const traitsOf = (
  event: ReceivedEvent,
  type: EventType,
  batch: ReceivedContext | undefined,
): Leaf => {
  if (type === 'group') return event.traits ?? '{}';
  return mergeTraits(mergeTraits(batch?.traits, event.context?.traits), event.traits);
};

/** Merges compact texts of objects; members of `over` win. */
const mergeTraits = (base: Leaf | undefined, over: Leaf | undefined): Leaf => {
  if (base === undefined || base === '{}') return over ?? '{}';
  if (over === undefined || over === '{}') return base;
  return writeJson(new Map([...membersOf(base), ...membersOf(over)]));
};

const membersOf = (text: Leaf): JsonObject => {
  const json = parseJson(text);
  if (!isJsonObject(json)) throw new TypeError('traits are an object');
  return json;
};
