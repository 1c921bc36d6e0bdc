import { hash } from 'node:crypto';
import { type AcceptedEvent, eventCodec } from '@penstock/contracts';
import type { LogRecord } from '@penstock/messaging';
import type { RecordValue } from '@penstock/schema';

/** Hexadecimal digits of a UUID, which PostgreSQL accepts without dashes. */
const DIGITS = 32;
/** How many of them depend on the message id alone. */
const PREFIX_DIGITS = 12;

const digitsOf = (text: string, count: number): string =>
  hash('sha256', text, 'hex').slice(0, count);

/**
 * The digits with which the {@link messageHash} of every event with this message id begins, so that one index serves
 * both to find duplicates and to find the events of a message id.
 */
export const messageHashPrefix = (messageId: string): string => digitsOf(messageId, PREFIX_DIGITS);

/**
 * The key by which duplicates are found: a hash of the message id, then one of the order key (which begins with the
 * source's id) and message id.
 */
export const messageHash = (orderKey: string, messageId: string): string =>
  messageHashPrefix(messageId) + digitsOf(`${orderKey}\0${messageId}`, DIGITS - PREFIX_DIGITS);

/** The key of routers of the version before, whose ids stay in the store for the duplicate window. */
export const formerMessageHash = (orderKey: string, messageId: string): string =>
  digitsOf(`${orderKey}\0${messageId}`, DIGITS);

/** An accepted event as it came from the log. Its hash and parsed form are computed on first use. */
export class IncomingEvent {
  readonly kind = 'event';
  /** The newest span that the event has been in; undefined: its request was not sampled. */
  traceparent: string | undefined;
  private knownHash: string | undefined;
  private parsed: RecordValue | undefined;
  private problem: string | undefined;

  constructor(
    readonly record: LogRecord,
    readonly head: AcceptedEvent,
  ) {
    this.traceparent = head.traceparent;
  }

  get orderKey(): string {
    return this.record.key;
  }

  /** JSON text of the event. */
  get eventText(): string {
    return this.head.eventText;
  }

  /** Hash of order key and message id, for finding duplicates: 32 hexadecimal digits. */
  get hash(): string {
    this.knownHash ??= messageHash(this.record.key, this.head.messageId);
    return this.knownHash;
  }

  /** As {@link hash}, of routers of the version before. */
  get formerHash(): string {
    return formerMessageHash(this.record.key, this.head.messageId);
  }

  /** The parsed event; undefined when its text is not valid, for the reason in {@link fault}. */
  get event(): RecordValue | undefined {
    if (this.problem === undefined) this.parse();
    return this.parsed;
  }

  /** Why the event's text is not valid; empty when it is. */
  get fault(): string {
    if (this.problem === undefined) this.parse();
    return this.problem ?? '';
  }

  /** `receivedAt` in milliseconds since 1970; the record's own time when the event has none. */
  get receivedAtMs(): number {
    const receivedAt = this.event?.['receivedAt'];
    const ms = typeof receivedAt === 'string' ? Date.parse(receivedAt) : NaN;
    return Number.isNaN(ms) ? this.record.timestampMs : ms;
  }

  private parse(): void {
    try {
      this.parsed = eventCodec.parse(this.head.eventText);
      this.problem = '';
    } catch {
      this.problem = 'its event does not fit the schema';
    }
  }
}
