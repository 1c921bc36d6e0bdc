import { yieldToLive } from '../reading/yield-to-live';
import type { Clock } from '../time/clock';

/** Part of the time that a replay leaves to live events while there are any, as a multiple of its own. */
const LEFT_PARTS = 3;

/**
 * Lets live events go first after a stretch of a replay: at least to the next turn of the event loop; for three times the
 * stretch while the live reader has something to do; and for longer while it lags, as everything does that is not live.
 *
 * @param lagMs milliseconds by which the live reader lags; 0: it has had nothing to do lately.
 * @param tookMs milliseconds that the stretch has taken.
 */
export const makeWay = async (clock: Clock, lagMs: number, tookMs: number): Promise<void> => {
  if (lagMs > 0)
    await new Promise<void>((resolve) => {
      clock.after(LEFT_PARTS * tookMs, resolve);
    });
  await yieldToLive(clock, lagMs, tookMs);
};
