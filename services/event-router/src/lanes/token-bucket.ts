import { performance } from 'node:perf_hooks';

/** How much may come at once, in milliseconds of the rate. */
const BURST_MS = 1_000;

/**
 * Requests a second, with a second's worth of burst. Kept as the moment at which all that was taken would have
 * been due at the even rate (the generic cell rate algorithm of ITU-T I.371).
 */
export class TokenBucket {
  private readonly intervalMs: number;
  private dueMs = 0;

  constructor(
    perSecond: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.intervalMs = 1_000 / perSecond;
  }

  /** Takes one token and answers 0; otherwise says how many milliseconds until there is one. */
  take(): number {
    const nowMs = this.now();
    const dueMs = Math.max(this.dueMs, nowMs);
    const waitMs = dueMs + this.intervalMs - BURST_MS - nowMs;
    if (waitMs > 0) return Math.ceil(waitMs);
    this.dueMs = dueMs + this.intervalMs;
    return 0;
  }
}
