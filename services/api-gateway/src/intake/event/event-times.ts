import { instantLeaf, instantOf, isInstant } from './instants';
import type { Leaf } from './leaf';
import type { ReceivedEvent } from './received-event';
import { invalid, type Rejection } from './rejection';
import type { RequestFacts } from './sender';

/** The times of an event besides its receipt, as JSON texts. */
export interface EventTimes {
  readonly sentAt: Leaf;
  readonly originalTimestamp: Leaf;
  readonly timestamp: Leaf;
}

/**
 * Computes the times of an event. Corrects the client's clock by the difference between sending and receipt.
 *
 * @param batchSentAt milliseconds since 1970, from the batch that contains the event.
 */
export const eventTimes = (
  event: ReceivedEvent,
  batchSentAt: number | undefined,
  request: RequestFacts,
): EventTimes | Rejection => {
  const { receivedMs } = request;
  const sent = msOf(event.sentAt) ?? batchSentAt;
  const clientOriginal = msOf(event.originalTimestamp);
  const clientTimestamp = msOf(event.timestamp);
  if (Number.isNaN(sent)) return notDateTime('/sentAt');
  if (Number.isNaN(clientOriginal)) return notDateTime('/originalTimestamp');
  if (Number.isNaN(clientTimestamp)) return notDateTime('/timestamp');
  const original = clientOriginal ?? clientTimestamp ?? receivedMs;
  const skew = sent === undefined ? 0 : receivedMs - sent;
  const timestamp = Math.min(receivedMs, original + skew);
  if (!isInstant(timestamp)) return invalid('/timestamp', 'is before the year 1 once corrected');
  const originalLeaf = leafAt(original, request);
  return {
    sentAt: leafAt(sent ?? receivedMs, request),
    originalTimestamp: originalLeaf,
    timestamp: timestamp === original ? originalLeaf : leafAt(timestamp, request),
  };
};

const msOf = (leaf: Leaf | undefined): number | undefined =>
  leaf === undefined ? undefined : instantOf(leaf);

const leafAt = (ms: number, { receivedMs, receivedAt }: RequestFacts): Leaf =>
  ms === receivedMs ? receivedAt : instantLeaf(ms);

const notDateTime = (path: string): Rejection =>
  invalid(path, 'must be an ISO 8601 datetime of the years 1 to 9999');
