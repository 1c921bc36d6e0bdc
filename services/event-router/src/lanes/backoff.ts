export interface BackoffLimits {
  readonly backoffBaseMs: number;
  readonly backoffCapMs: number;
}

/**
 * The wait before the next attempt: exponential with full jitter, so that the keys of a destination that has recovered
 * do not all retry at once.
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
