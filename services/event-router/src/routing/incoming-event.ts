import { type AcceptedEvent, eventCodec } from '@penstock/contracts';
import type { LogRecord } from '@penstock/messaging';
import type { RecordValue } from '@penstock/schema';
import { messageHash } from './message-hash';

/** An accepted event as it came from the log. What costs something is worked out when it is asked for, once. */
export class IncomingEvent {
  readonly kind = 'event';
  private knownHash: string | undefined;
  private parsed: RecordValue | undefined;
  private problem: string | undefined;

  constructor(
    readonly record: LogRecord,
    readonly head: AcceptedEvent,
  ) {}

  get orderKey(): string {
    return this.record.key;
  }

  /** JSON text of the event. */
  get eventText(): string {
    return this.head.eventText;
  }

  /** By which the message is known again: 32 hexadecimal digits. */
  get hash(): string {
    this.knownHash ??= messageHash(this.record.key, this.head.messageId);
    return this.knownHash;
  }

  /** Undefined when its text is no event after all; {@link fault} says why. */
  get event(): RecordValue | undefined {
    if (this.problem === undefined) this.parse();
    return this.parsed;
  }

  /** Why its text is no event; empty when it is one. */
  get fault(): string {
    if (this.problem === undefined) this.parse();
    return this.problem ?? '';
  }

  /** Milliseconds since 1970 at which the gateway took it; the log's own time where it does not say. */
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
