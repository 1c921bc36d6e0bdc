import type { EventStore } from '@penstock/event-sourcing';
import type { Logger } from '@penstock/runtime';
import type { EntityManager } from 'typeorm';
import { forgetOldRequests } from './retries';

const HOUR_MS = 3_600_000;
/** Longer than commands stay on the log and than requests with an Idempotency-Key are remembered: a day each. */
const KEPT_MS = 48 * HOUR_MS;

/**
 * Deletes replies and requests that can no longer be repeated, now and every hour.
 *
 * @returns a function that stops it.
 */
export const forgetOldReplies = (
  store: EventStore<EntityManager>,
  logger: Logger,
): (() => Promise<void>) => {
  const forget = async (): Promise<void> => {
    try {
      await store.forgetRepliesBefore(new Date(Date.now() - KEPT_MS));
      await forgetOldRequests(store.db);
    } catch (err) {
      logger.warn(
        { err },
        'old answers to requests could not be deleted from the database; trying again in an hour',
      );
    }
  };
  let running = forget();
  const timer = setInterval(() => {
    running = forget();
  }, HOUR_MS);
  return () => {
    clearInterval(timer);
    return running;
  };
};
