import { createHash } from 'node:crypto';
import type { OutgoingEvent } from '../connector/event-destination';

/**
 * The idempotency key of a request: that of its one event, or a hash of those of all, so that the same events
 * in the same batch have the same key.
 *
 * @returns 32 characters, like the key of an event.
 */
export const batchKey = (events: readonly Pick<OutgoingEvent, 'idempotencyKey'>[]): string => {
  const [first] = events;
  if (first !== undefined && events.length === 1) return first.idempotencyKey;
  const hash = createHash('sha256');
  for (const { idempotencyKey } of events) hash.update(`${idempotencyKey}\n`);
  return hash.digest('base64url').slice(0, 32);
};
