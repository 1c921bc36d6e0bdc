import type { Clock } from '../time/clock';
import { within } from '../time/within';

/** How often, and for how long, something is tried. */
export interface Insistence {
  readonly pauseMs: number;
  readonly limitMs: number;
}

/** Tries until it is done or the time is over, once at least. Never rejects: failures go to `onError`. */
export const insist = async (
  clock: Clock,
  { pauseMs, limitMs }: Insistence,
  work: () => Promise<void>,
  onError: (error: unknown) => void,
): Promise<void> => {
  const endMs = clock.nowMs() + limitMs;
  for (;;) {
    try {
      await within(clock, endMs - clock.nowMs(), work());
      return;
    } catch (error) {
      onError(error);
    }
    if (clock.nowMs() + pauseMs >= endMs) return;
    await new Promise<void>((resolve) => {
      clock.after(pauseMs, resolve);
    });
  }
};
