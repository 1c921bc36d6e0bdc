export interface BackoffLimits {
  readonly backoffBaseMs: number;
  readonly backoffCapMs: number;
}

/**
 * How long to wait before the next attempt, with full jitter, so that a destination that comes back is not met
 * by every key at once.
 * Source: M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
 *
 * @param attempts made so far, 1 or more.
 * @param random   uniform in [0, 1).
 * @returns whole milliseconds, 1 to the cap.
 */
export const backoffMs = (
  attempts: number,
  { backoffBaseMs, backoffCapMs }: BackoffLimits,
  random: () => number = Math.random,
): number => {
  const ceiling = Math.min(backoffCapMs, backoffBaseMs * 2 ** Math.min(attempts - 1, 40));
  return 1 + Math.floor(random() * (ceiling - 1));
};
