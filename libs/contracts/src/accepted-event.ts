import { createHash, hash } from 'node:crypto';
import type { RecordValue } from '@penstock/schema';
import { eventCodec } from './event-schema';
import type { WorkspaceId } from './ids';

/** The `integrations` member of an event: names of destinations, and `All`, to whether they may have it. */
export type Integrations = Readonly<Record<string, boolean>>;

/** What a gateway appends to the `events` topic and a router reads from it. */
export interface AcceptedEvent {
  readonly workspace: WorkspaceId;
  /** The configuration position that the gateway had seen: the router handles it with no older picture. */
  readonly seen: number;
  readonly integrations: Integrations | null;
  /** {@link bodyDigest} of the event: tells a repeated message from another one under the same messageId. */
  readonly digest: string;
  /** By the event schema. */
  readonly event: RecordValue;
  /** JSON text of `event`, as its codec writes it. */
  readonly eventText: string;
}

const FORM = 1;

/** Whole event → the value of its message. */
export const writeAcceptedEvent = ({
  workspace,
  seen,
  integrations,
  digest,
  eventText,
}: Omit<AcceptedEvent, 'event'>): string =>
  `${JSON.stringify([FORM, workspace, seen, integrations, digest])}\n${eventText}`;

/** @throws Error on a message that no gateway wrote. */
export const readAcceptedEvent = (value: string): AcceptedEvent => {
  const end = value.indexOf('\n');
  const [form, workspace, seen, integrations, digest] = JSON.parse(value.slice(0, end)) as [
    number,
    WorkspaceId,
    number,
    Integrations | null,
    string,
  ];
  if (form !== FORM) throw new Error(`accepted event of unknown form ${String(form)}`);
  const eventText = value.slice(end + 1);
  return { workspace, seen, integrations, digest, event: eventCodec.parse(eventText), eventText };
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
