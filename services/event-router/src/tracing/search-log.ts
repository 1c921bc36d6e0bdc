import { TOPIC } from '@penstock/contracts';
import { type MessageLog, partitionOf } from '@penstock/messaging';
import { readIncoming } from '../routing/incoming';
import type { IncomingEvent } from '../routing/incoming-event';

/** An event whose place is not recorded any more, and about when it was accepted. */
export interface Sought {
  readonly messageId: string;
  /** Source and anonymous id. */
  readonly orderKey: string;
  /** Milliseconds since 1970. */
  readonly atMs: number;
}

/** Milliseconds before and after the given time within which an event is looked for. */
export const SEARCH_MS = 5 * 60_000;
/** Bytes of a partition that are read at most, approximately, in one search and at once. */
const MAX_BYTES = 64 * 1024 * 1024;
const SLICE_BYTES = 1024 * 1024;

/** The result of a search. */
export interface Searched {
  readonly event: IncomingEvent | undefined;
  /** Whether there was too much to read all of it. */
  readonly isCut: boolean;
}

/**
 * Looks for an event near a time, in the partition of its order key: the first one with the id.
 *
 * @throws LogUnavailable, or the reason of the signal.
 */
export const searchLog = async (
  log: MessageLog,
  { messageId, orderKey, atMs }: Sought,
  signal: AbortSignal,
): Promise<Searched> => {
  const partition = partitionOf(orderKey, await log.partitionsOf(TOPIC.events));
  const offsets = await log.offsetsAt(TOPIC.events, atMs - SEARCH_MS);
  let next = offsets[partition] ?? 0;
  for (let bytes = 0; bytes < MAX_BYTES;) {
    signal.throwIfAborted();
    const slice = await log.read(TOPIC.events, partition, next, SLICE_BYTES);
    for (const record of slice.records) {
      if (record.timestampMs > atMs + SEARCH_MS) return { event: undefined, isCut: false };
      bytes += record.value?.length ?? 0;
      if (record.key !== orderKey) continue;
      const incoming = readIncoming(record);
      if (incoming.kind === 'event' && incoming.head.messageId === messageId)
        return { event: incoming, isCut: false };
    }
    next = slice.next;
    if (next >= slice.end) return { event: undefined, isCut: false };
  }
  return { event: undefined, isCut: true };
};
