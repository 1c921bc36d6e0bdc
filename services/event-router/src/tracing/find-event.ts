import { setTimeout as pause } from 'node:timers/promises';
import { orderKey, Refusal, TOPIC, type TraceWanted } from '@penstock/contracts';
import { type FoundEvent, locateEvents } from './locate-event';
import { SEARCH_MS, searchLog } from './search-log';
import type { TraceReads } from './trace-reads';
import type { MessageLog } from '@penstock/messaging';

/** Whose request it is, and how it reads. */
export interface TraceRequest {
  readonly wanted: TraceWanted;
  readonly workspace: string;
  /** Reads the store in the turn of the workspace. */
  readonly inTurn: <T>(read: () => Promise<T>) => Promise<T>;
  /** Fires when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** The events that are meant. */
export interface FoundEvents {
  /** At least one; those on the log first, and of these the newest. */
  readonly events: readonly [FoundEvent, ...FoundEvent[]];
  /** Whether their ids are no longer kept: the event was looked for on the log, and its duplicates are unknown. */
  readonly isWithoutId: boolean;
}

/** How long an answer waits for commits, of which there are some in a second. */
const RECORDING_MS = 2_000;
const POLL_MS = 50;

const notFound = (what: string): Refusal =>
  new Refusal('EventNotExist', { message: `event does not exist${what}` });

const onLog = async (
  log: MessageLog,
  { wanted, workspace, signal }: TraceRequest,
  hours: number,
): Promise<FoundEvent> => {
  const { connection, anonymousId, at, messageId } = wanted;
  if (connection === undefined || anonymousId === undefined || at === undefined)
    throw notFound(
      `, or is not known any more: message ids are kept for ${hours} hours. With connection, anonymousId and at, about when it was accepted, it is looked for on the log`,
    );
  const sought = { messageId, orderKey: orderKey(connection, anonymousId), atMs: Date.parse(at) };
  const { event, isCut } = await searchLog(log, sought, signal);
  if (event === undefined || event.head.workspace !== workspace)
    throw notFound(
      isCut
        ? ' in the part of the log that was read: there are too many events near this time'
        : ` on the log within ${SEARCH_MS / 60_000} minutes of this time`,
    );
  const { partition, offset } = event.record;
  return { partition, offset, hash: event.hash, incoming: event };
};

/**
 * Resolves when routers have recorded what the log holds now, or after {@link RECORDING_MS}: a delivery is recorded with the
 * next commit of its router, so that whoever has received the event may ask before that.
 */
const untilRecorded = async (
  log: MessageLog,
  reads: TraceReads,
  { inTurn, signal }: TraceRequest,
): Promise<void> => {
  const ends = await log.endOffsets(TOPIC.events);
  const deadlineMs = performance.now() + RECORDING_MS;
  while (!(await inTurn(() => reads.areRecorded(ends))) && performance.now() < deadlineMs)
    await pause(POLL_MS, undefined, { signal });
};

/**
 * Finds the events with a message id: by what is recorded of ids, or else on the log near a time.
 *
 * @param hours for which ids are kept.
 * @throws Refusal EventNotExist, which says what else may be asked; LogUnavailable.
 */
export const findEvents = async (
  log: MessageLog,
  reads: TraceReads,
  request: TraceRequest,
  hours: number,
): Promise<FoundEvents> => {
  const { wanted, workspace, inTurn } = request;
  const { messageId, connection, anonymousId } = wanted;
  const key =
    connection === undefined || anonymousId === undefined
      ? undefined
      : orderKey(connection, anonymousId);
  const byId = async (): Promise<readonly FoundEvent[]> => {
    const firsts = await inTurn(() => reads.firsts(messageId, key));
    return locateEvents(log, firsts, wanted, workspace);
  };
  let [first, ...others] = await byId();
  if (first === undefined) {
    await untilRecorded(log, reads, request);
    [first, ...others] = await byId();
  }
  if (first !== undefined) return { events: [first, ...others], isWithoutId: false };
  return { events: [await onLog(log, request, hours)], isWithoutId: true };
};
