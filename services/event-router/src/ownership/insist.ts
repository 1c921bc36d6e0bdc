import type { Clock } from '../time/clock';
import { within } from '../time/within';

/** Pause between two attempts, and time after which no further one begins, in milliseconds. */
export interface Insistence {
  readonly pauseMs: number;
  readonly limitMs: number;
}

/** Repeats `work` until it resolves or the time is over, at least once. Never rejects: failures go to `onError`. */
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
