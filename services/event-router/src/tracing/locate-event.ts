import { type ConnectionId, orderKey, TOPIC, type TraceWanted } from '@penstock/contracts';
import type { LogRecord, MessageLog } from '@penstock/messaging';
import { readIncoming } from '../routing/incoming';
import { type IncomingEvent, messageHash } from '../routing/incoming-event';
import type { EventPlace } from './event-place';
import type { FirstEvent } from './trace-reads';

/** An event that was found by its message id. */
export interface FoundEvent extends EventPlace {
  readonly hash: string;
  /** Undefined: it is not on the log any more. */
  readonly incoming: IncomingEvent | undefined;
}

const recordAt = async (
  log: MessageLog,
  { partition, offset }: EventPlace,
): Promise<LogRecord | undefined> => {
  const { records } = await log.read(TOPIC.events, partition, offset, 1);
  return records.find((record) => record.offset === offset);
};

/** The event at its place; undefined: another event is there, since the place is of another log. */
const foundAt = async (
  log: MessageLog,
  first: FirstEvent,
  messageId: string,
): Promise<FoundEvent | undefined> => {
  const record = await recordAt(log, first);
  if (record === undefined) return { ...first, incoming: undefined };
  const incoming = readIncoming(record);
  if (incoming.kind !== 'event' || incoming.head.messageId !== messageId) return undefined;
  return incoming.hash === first.hash ? { ...first, incoming } : undefined;
};

const isWanted = (
  { hash, incoming }: FoundEvent,
  { messageId, connection, anonymousId }: TraceWanted,
  workspace: string,
): boolean => {
  if (connection !== undefined && anonymousId !== undefined)
    if (hash !== messageHash(orderKey(connection, anonymousId), messageId)) return false;
  if (incoming === undefined) return connection === undefined || anonymousId !== undefined;
  const { head } = incoming;
  return (
    head.workspace === workspace &&
    (connection === undefined || head.source === (connection as ConnectionId))
  );
};

/** When the event was appended; those that are gone come last. */
const appendedMs = ({ incoming }: FoundEvent): number => incoming?.record.timestampMs ?? 0;

/** The events that are meant, of the workspace as far as is known: the newest on the log first, those that are gone last. */
export const locateEvents = async (
  log: MessageLog,
  firsts: readonly FirstEvent[],
  wanted: TraceWanted,
  workspace: string,
): Promise<readonly FoundEvent[]> => {
  const meant: FoundEvent[] = [];
  for (const first of firsts) {
    const found = await foundAt(log, first, wanted.messageId);
    if (found !== undefined && isWanted(found, wanted, workspace)) meant.push(found);
  }
  return meant.sort((one, other) => appendedMs(other) - appendedMs(one));
};
