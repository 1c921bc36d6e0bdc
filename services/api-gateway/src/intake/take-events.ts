import { type Acceptance, readAcceptedEvent, writeAcceptedEvent } from '@penstock/contracts';
import type { NewMessage } from '@penstock/messaging';
import { excerptOf, type RefusedDetails } from '@penstock/platform';
import type { Issue } from '@penstock/schema';
import type { EventType } from './event/event-type';
import { instantOf } from './event/instants';
import {
  givenMessageId,
  normaliseEvent,
  type Surroundings,
  type NormalisedEvent,
} from './event/normalise-event';
import { isText, textOf } from './event/leaf';
import { MalformedBody } from './event/malformed-body';
import type { Submission } from './event/read-submission';
import type { ReceivedEvent } from './event/received-event';
import type { RequestFacts } from './event/sender';
import type { Rejected, Warning } from './intake-answer';
import type { IntakeLimits } from './intake-limits';
import type { Source } from './source';

/** The outcome of one request's events. */
export interface TakenEvents {
  readonly messages: readonly NewMessage[];
  /** Number of events of suppressed users: accepted, but dropped. */
  readonly suppressed: number;
  readonly rejected: readonly Rejected[];
  /** What is recorded of an event that was rejected, by its index in the request. */
  readonly detailsOf: (index: number) => RefusedDetails;
  readonly warnings: readonly Warning[];
  /** Number of dropped members, including those without a warning. */
  readonly leftOut: number;
}

/** Maximal number of warnings in an answer; a batch could cause millions. All dropped members are counted. */
const MAX_WARNINGS = 1_000;
/**
 * Limit for a batch's context, which is copied to each event: all copies together may have this many times the bytes of
 * a body of maximal length.
 */
const MAX_EXPANSION = 4;

/** What is known of a request to intake besides its body. */
export interface IntakeRequest {
  readonly source: Source;
  readonly request: RequestFacts;
  /** The type in the path. */
  readonly type: EventType | undefined;
  /** Configuration position that this process has applied. */
  readonly seen: number;
  /** What its events are recorded with; undefined: the request is not sampled. */
  readonly traceparent: string | undefined;
  readonly acceptedBy: Acceptance;
  readonly limits: IntakeLimits;
  /** Whether one of the users is suppressed. */
  readonly isSuppressed: (userIds: readonly string[]) => boolean;
}

/**
 * Normalises every event of a request.
 *
 * @throws MalformedBody when the batch's `context` or `sentAt` is not valid.
 */
export const takeEvents = (submission: Submission, request: IntakeRequest): TakenEvents => {
  const surroundings = surroundingsOf(submission, request);
  const messages: NewMessage[] = [];
  const rejected: Rejected[] = [];
  const warnings: Warning[] = [];
  let suppressed = 0;
  let leftOut = submission.context?.leftOut.length ?? 0;
  const warn = (index: number, issues: readonly Issue[]): void => {
    for (const issue of issues)
      if (warnings.length < MAX_WARNINGS) warnings.push({ index, ...issue });
  };
  warn(0, submission.context?.leftOut ?? []);
  for (const [index, event] of submission.events.entries()) {
    const made = normaliseEvent(event, surroundings);
    if ('code' in made) {
      rejected.push({ index, ...messageIdOf(event), ...made });
      continue;
    }
    if (request.isSuppressed(userIdsOf(event))) {
      suppressed += 1;
      continue;
    }
    messages.push(messageOf(made, request));
    leftOut += made.warnings.length;
    warn(index, made.warnings);
  }
  const detailsOf = (index: number): RefusedDetails => refusedDetails(submission, index);
  return { messages, suppressed, rejected, detailsOf, warnings, leftOut };
};

const refusedDetails = ({ body, events }: Submission, index: number): RefusedDetails => {
  const event = events[index];
  if (event === undefined) return { excerpt: '', isCut: false, userIds: [] };
  return { ...excerptOf(body, event.start, event.bytes), userIds: userIdsOf(event) };
};

/** Replaces the configuration position in messages that were made before. */
export const stampedAnew = (taken: TakenEvents, seen: number): TakenEvents => ({
  ...taken,
  messages: taken.messages.map(({ key, value }) => ({
    key,
    value: writeAcceptedEvent({ ...readAcceptedEvent(value ?? ''), seen }),
  })),
});

/** Returns the ids of the event's user and of the user that an alias names. */
const userIdsOf = ({ userId, previousId }: ReceivedEvent): string[] =>
  [userId, previousId].flatMap((leaf) => (leaf !== undefined && isText(leaf) ? textOf(leaf) : []));

const messageOf = (
  { orderKey, messageId, integrations, digest, text: eventText }: NormalisedEvent,
  { source, seen, traceparent, acceptedBy }: IntakeRequest,
): NewMessage => {
  const { id, workspace } = source.connection;
  const value = writeAcceptedEvent({
    workspace,
    source: id,
    messageId,
    seen,
    integrations,
    digest,
    eventText,
    acceptedBy,
    ...(traceparent !== undefined && { traceparent }),
  });
  return { key: orderKey, value };
};

const messageIdOf = (event: ReceivedEvent): { messageId?: string } => {
  const messageId = givenMessageId(event);
  return messageId === undefined ? {} : { messageId };
};

const surroundingsOf = (
  { events, sentAt, context }: Submission,
  { request, type, limits }: IntakeRequest,
): Surroundings => {
  const { maxEventBytes, maxBodyBytes } = limits;
  const contextBytes = context?.bytes ?? 0;
  if (contextBytes > maxEventBytes)
    throw new MalformedBody(`must have at most ${String(maxEventBytes)} bytes`, '/context');
  if (contextBytes * events.length > MAX_EXPANSION * maxBodyBytes)
    throw new MalformedBody('is too long for so many events', '/context');
  const batchSentAt = sentAt === undefined ? undefined : instantOf(sentAt);
  if (Number.isNaN(batchSentAt))
    throw new MalformedBody('must be an ISO 8601 datetime of the years 1 to 9999', '/sentAt');
  return { request, typeByPath: type, batchSentAt, batchContext: context, maxEventBytes };
};
