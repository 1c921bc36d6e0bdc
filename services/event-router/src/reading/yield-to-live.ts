import type { Clock } from '../time/clock';

/** Lag of the live reader above which other readers get only a tenth of the time. */
const MAX_LAG_MS = 200;
const YIELDED_PARTS = 9;
const MAX_YIELD_MS = 1_000;

/**
 * Lets the live reader go first, after a stretch of other reading: at least to the next turn of the event loop, and for
 * nine times the stretch while the live reader lags, at most a second.
 *
 * @param lagMs milliseconds by which the live reader lags.
 * @param tookMs milliseconds that the stretch has taken.
 */
export const yieldToLive = (clock: Clock, lagMs: number, tookMs: number): Promise<void> => {
  const waitMs = lagMs > MAX_LAG_MS ? Math.min(MAX_YIELD_MS, YIELDED_PARTS * tookMs) : 0;
  return new Promise((resolve) => {
    if (waitMs > 0) clock.after(waitMs, resolve);
    else clock.soon(resolve);
  });
};
