import { createHash, hash } from 'node:crypto';
import type { ConnectionId, WorkspaceId } from './ids';

/** The `integrations` member of an event: names of destinations, and `All`, to whether they may have it. */
export type Integrations = Readonly<Record<string, boolean>>;

/** What a gateway says of an event beside the event itself. */
export interface AcceptedEventHead {
  readonly workspace: WorkspaceId;
  /** The source connection. */
  readonly source: ConnectionId;
  readonly messageId: string;
  /** The configuration position that the gateway had seen: the router handles it with no older picture. */
  readonly seen: number;
  readonly integrations: Integrations | null;
  /** {@link bodyDigest} of the event: tells a repeated message from another one under the same messageId. */
  readonly digest: string;
}

/** What a gateway appends to the `events` topic and a router reads from it. */
export interface AcceptedEvent extends AcceptedEventHead {
  /** JSON text of the event, as its codec writes it. */
  readonly eventText: string;
}

const FORM = 1;

/** Whole event → the value of its message: a line with the head, a line with the event. */
export const writeAcceptedEvent = (accepted: AcceptedEvent): string => {
  const { workspace, source, messageId, seen, integrations, digest, eventText } = accepted;
  const head = [FORM, workspace, source, messageId, seen, integrations, digest];
  return `${JSON.stringify(head)}\n${eventText}`;
};

type Head = [number, WorkspaceId, ConnectionId, string, number, Integrations | null, string];

/**
 * Reads the head only: many events are of no interest to anybody. {@link eventCodec} reads the event.
 *
 * @throws Error on a message that no gateway wrote.
 */
export const readAcceptedEvent = (value: string): AcceptedEvent => {
  const end = value.indexOf('\n');
  const head = JSON.parse(value.slice(0, end)) as Head;
  const [form, workspace, source, messageId, seen, integrations, digest] = head;
  if (form !== FORM) throw new Error(`accepted event of unknown form ${String(form)}`);
  const eventText = value.slice(end + 1);
  return { workspace, source, messageId, seen, integrations, digest, eventText };
};

/**
 * What two messages under one messageId are compared by.
 *
 * @param before the event's JSON text up to its four times, which a retry may change.
 * @param after  the text behind them.
 * @returns 16 characters, base64url of the first 12 bytes of a SHA-1: tells apart, proves nothing.
 */
export const bodyDigest = (before: string, after: string): string =>
  hash('sha1', `${before}\0${after}`, 'base64url').slice(0, 16);

/** Characters of an order key that are kept as they are; Kafka and PostgreSQL index keys well up to there. */
const MAX_PLAIN_KEY = 200;

/**
 * What decides the order of an event: its source connection and anonymous id. A long anonymous id is
 * replaced by its SHA-256, always the same way.
 */
export const orderKey = (connection: string, anonymousId: string): string =>
  `${connection}/${
    anonymousId.length <= MAX_PLAIN_KEY && !anonymousId.includes('\0')
      ? anonymousId
      : `#${createHash('sha256').update(anonymousId).digest('base64url')}`
  }`;
