import type { EventStore } from '@penstock/event-sourcing';
import type { Logger } from '@penstock/runtime';
import type { Retries } from './retries';

const HOUR_MS = 3_600_000;
/** Longer than commands stay on the log and than an Idempotency-Key is remembered: a day each. */
const KEPT_MS = 48 * HOUR_MS;

/** Forgets replies and requests that nobody can ask for any more: now and every hour. @returns what ends it. */
export const forgetOldReplies = (
  store: Pick<EventStore<never>, 'forgetRepliesBefore'>,
  retries: Retries,
  logger: Logger,
): (() => Promise<void>) => {
  const forget = async (): Promise<void> => {
    try {
      await store.forgetRepliesBefore(new Date(Date.now() - KEPT_MS));
      await retries.forgetOld();
    } catch (err) {
      logger.warn({ err }, 'old replies could not be forgotten');
    }
  };
  let atWork = forget();
  const timer = setInterval(() => {
    atWork = forget();
  }, HOUR_MS);
  return () => {
    clearInterval(timer);
    return atWork;
  };
};
