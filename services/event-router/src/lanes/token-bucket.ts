import { performance } from 'node:perf_hooks';

/** Less than any wait, more than what many additions are off. */
const ROUNDING_MS = 1e-3;

/**
 * Requests a second, and how many may come at once. Kept as the moment at which all that was taken would have
 * been due at the even rate (the generic cell rate algorithm of ITU-T I.371).
 */
export class TokenBucket {
  private readonly intervalMs: number;
  private readonly burstMs: number;
  private dueMs = -Infinity;

  /** @param burst at least one; by default a second's worth. */
  constructor(
    perSecond: number,
    burst = perSecond,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.intervalMs = 1_000 / perSecond;
    this.burstMs = Math.max(1, burst) * this.intervalMs;
  }

  /** Takes one token and answers 0; otherwise says how many milliseconds until there is one. */
  take(): number {
    const nowMs = this.now();
    const dueMs = Math.max(this.dueMs, nowMs);
    const waitMs = dueMs + this.intervalMs - this.burstMs - nowMs;
    if (waitMs > ROUNDING_MS) return Math.ceil(waitMs);
    this.dueMs = dueMs + this.intervalMs;
    return 0;
  }
}
