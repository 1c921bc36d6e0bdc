import { readAcceptedEvent, writeAcceptedEvent } from '@penstock/contracts';
import type { NewMessage } from '@penstock/messaging';
import type { Issue } from '@penstock/schema';
import type { EventType } from './event/event-type';
import { instantOf } from './event/instants';
import {
  givenMessageId,
  normaliseEvent,
  type Surroundings,
  type NormalisedEvent,
} from './event/normalise-event';
import { textOf } from './event/leaf';
import { MalformedBody } from './event/malformed-body';
import type { Submission } from './event/read-submission';
import type { ReceivedEvent } from './event/received-event';
import type { RequestFacts } from './event/sender';
import type { Rejected, Warning } from './intake-answer';
import type { IntakeLimits } from './intake-limits';
import type { Source } from './source';

/** What became of the events of one request. */
export interface Taken {
  readonly messages: readonly NewMessage[];
  /** Events of users who are suppressed: accepted, and left out. */
  readonly suppressed: number;
  readonly rejected: readonly Rejected[];
  readonly warnings: readonly Warning[];
  /** Members left out, the ones included that are not among the warnings. */
  readonly leftOut: number;
}

/** Warnings that are answered; a batch could bring millions. All are counted. */
const MAX_WARNINGS = 1_000;
/** A batch's context may make its events together this many times as long as the longest body. */
const MAX_EXPANSION = 4;

export interface Taking {
  readonly source: Source;
  readonly request: RequestFacts;
  /** The type that the path names. */
  readonly type: EventType | undefined;
  /** Position of the configuration that this process has seen. */
  readonly seen: number;
  readonly limits: IntakeLimits;
  /** Whether events of one of the users are left out. */
  readonly isSuppressed: (userIds: readonly string[]) => boolean;
}

/**
 * Normalises every event of a request.
 *
 * @throws MalformedBody what the batch gives to all of its events is not valid.
 */
export const takeEvents = (submission: Submission, taking: Taking): Taken => {
  const surroundings = surroundingsOf(submission, taking);
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
    if (taking.isSuppressed(userIdsOf(event))) {
      suppressed += 1;
      continue;
    }
    messages.push(messageOf(made, taking));
    leftOut += made.warnings.length;
    warn(index, made.warnings);
  }
  return { messages, suppressed, rejected, warnings, leftOut };
};

/** The same events with another position of the configuration on them. */
export const stampedAnew = (taken: Taken, seen: number): Taken => ({
  ...taken,
  messages: taken.messages.map(({ key, value }) => ({
    key,
    value: writeAcceptedEvent({ ...readAcceptedEvent(value ?? ''), seen }),
  })),
});

/** Of a normalised event: the user, and whom an alias names. */
const userIdsOf = ({ userId, previousId }: ReceivedEvent): string[] =>
  [userId, previousId].flatMap((leaf) => (leaf === undefined ? [] : textOf(leaf)));

const messageOf = (
  { orderKey, messageId, integrations, digest, text: eventText }: NormalisedEvent,
  { source, seen }: Taking,
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
  });
  return { key: orderKey, value };
};

const messageIdOf = (event: ReceivedEvent): { messageId?: string } => {
  const messageId = givenMessageId(event);
  return messageId === undefined ? {} : { messageId };
};

const surroundingsOf = (
  { events, sentAt, context }: Submission,
  { request, type, limits }: Taking,
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
