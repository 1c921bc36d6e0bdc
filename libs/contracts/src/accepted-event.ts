import { createHash, hash } from 'node:crypto';
import { type ConnectionId, isIdForm, type WorkspaceId } from './ids';
import { type Integrations, type Provenance, separated, withProvenance } from './integrations';
import { UnreadableEvent } from './unreadable-event';

/** What a gateway records of an event beside the event itself. */
export interface AcceptedEventHead extends Provenance {
  readonly workspace: WorkspaceId;
  /** The source connection. */
  readonly source: ConnectionId;
  readonly messageId: string;
  /** The configuration position that the gateway had seen: the router handles it with no older replica. */
  readonly seen: number;
  readonly integrations: Integrations | null;
  /** {@link bodyDigest} of the event: distinguishes a repeated message from another one with its messageId. */
  readonly digest: string;
}

/** What a gateway appends to the `events` topic and a router reads from it. */
export interface AcceptedEvent extends AcceptedEventHead {
  /** JSON text of the event, as its codec writes it. */
  readonly eventText: string;
}

const FORM = 1;

/**
 * Normalised event → the value of its message: a line with the head, a line with the event. Where it comes from is
 * written into `integrations`, see {@link withProvenance}: routers of every version read such a head.
 */
export const writeAcceptedEvent = (accepted: AcceptedEvent): string => {
  const { workspace, source, messageId, seen, digest, eventText } = accepted;
  const integrations = withProvenance(accepted.integrations, accepted);
  const head = [FORM, workspace, source, messageId, seen, integrations, digest];
  return `${JSON.stringify(head)}\n${eventText}`;
};

type Head = [number, WorkspaceId, ConnectionId, string, number, Integrations | null, string];

const isIntegrations = (value: unknown): boolean =>
  value === null ||
  (typeof value === 'object' &&
    !Array.isArray(value) &&
    Object.values(value).every((choice) => typeof choice === 'boolean'));

const DIGEST = /^[A-Za-z0-9_-]{16}$/;

const isDigest = (value: unknown): boolean => typeof value === 'string' && DIGEST.test(value);

const isId = (value: unknown): boolean => typeof value === 'string' && isIdForm(value);

/** What each member of a head must be, in their order; the form is checked before. */
const MEMBERS: readonly (readonly [name: string, isValid: (value: unknown) => boolean])[] = [
  ['form', () => true],
  ['workspace', isId],
  ['source', isId],
  ['messageId', (value) => typeof value === 'string'],
  ['seen', (value) => Number.isSafeInteger(value) && (value as number) >= 0],
  ['integrations', isIntegrations],
  ['digest', isDigest],
];

const checkForm = (form: unknown): void => {
  if (form === FORM) return;
  if (!Number.isSafeInteger(form) || (form as number) < FORM)
    throw new UnreadableEvent('its head names no form');
  const text = `form ${String(form)} is newer than ${String(FORM)}, the newest that this version reads`;
  throw new UnreadableEvent(text, { newer: true });
};

const checkHead = (head: unknown): Head => {
  if (!Array.isArray(head)) throw new UnreadableEvent('its head is not an array');
  checkForm(head[0]);
  if (head.length !== MEMBERS.length)
    throw new UnreadableEvent(`its head has ${String(head.length)} members`);
  const wrong = MEMBERS.find(([, isValid], index) => !isValid(head[index]));
  if (wrong !== undefined) throw new UnreadableEvent(`its ${wrong[0]} is not valid`);
  return head as Head;
};

const parseHead = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UnreadableEvent('its head is not JSON', { cause });
  }
};

/**
 * Reads and checks the head only: many events are of no interest to anybody. {@link eventCodec} reads the event.
 *
 * @throws UnreadableEvent on a message that no gateway wrote, or only a newer one does.
 */
export const readAcceptedEvent = (value: string): AcceptedEvent => {
  const end = value.indexOf('\n');
  if (end === -1) throw new UnreadableEvent('it has no head');
  const head = checkHead(parseHead(value.slice(0, end)));
  const [, workspace, source, messageId, seen, integrations, digest] = head;
  const eventText = value.slice(end + 1);
  const event = { workspace, source, messageId, seen, integrations, digest, eventText };
  return integrations === null ? event : { ...event, ...separated(integrations) };
};

/**
 * What two messages under one messageId are compared by.
 *
 * @param before the event's JSON text up to its four times, which a retry may change.
 * @param after  the text behind them.
 * @returns 16 characters, base64url of the first 12 bytes of a SHA-1: distinguishes bodies, but is no proof against
 *   forgery.
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
