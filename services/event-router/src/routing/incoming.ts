import { type AcceptedEvent, readAcceptedEvent, UnreadableEvent } from '@penstock/contracts';
import type { LogRecord } from '@penstock/messaging';
import { IncomingEvent } from './incoming-event';

/** A record of the events topic that is not a readable event. */
interface UnreadableIncoming {
  readonly kind: 'unreadable';
  readonly record: LogRecord;
  /** For operators; contains no data of the event. */
  readonly reason: string;
  /** Whether it has the form of a newer version. */
  readonly newer: boolean;
}

export type Incoming = IncomingEvent | UnreadableIncoming;

const unreadable = (record: LogRecord, error: unknown): UnreadableIncoming => ({
  kind: 'unreadable',
  record,
  reason: error instanceof Error ? error.message : String(error),
  newer: error instanceof UnreadableEvent && error.newer,
});

/** Reads a record of the events topic; every member of its head is checked. Never throws. */
export const readIncoming = (record: LogRecord): Incoming => {
  if (record.value === null) return unreadable(record, new UnreadableEvent('it has no value'));
  let accepted: AcceptedEvent;
  try {
    accepted = readAcceptedEvent(record.value);
  } catch (error) {
    return unreadable(record, error);
  }
  return new IncomingEvent(record, accepted);
};
