import { performance } from 'node:perf_hooks';

/** Requests a second, with a second's worth of burst. */
export class TokenBucket {
  private tokens: number;
  private atMs: number;

  constructor(
    private readonly perSecond: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.tokens = perSecond;
    this.atMs = now();
  }

  /** Takes one token; otherwise says how many milliseconds until there is one. */
  take(): number {
    const nowMs = this.now();
    this.tokens = Math.min(
      this.perSecond,
      this.tokens + ((nowMs - this.atMs) * this.perSecond) / 1_000,
    );
    this.atMs = nowMs;
    if (this.tokens < 1) return Math.ceil(((1 - this.tokens) * 1_000) / this.perSecond);
    this.tokens -= 1;
    return 0;
  }
}
