import type { Clock } from '../time/clock';

/** Speed at which this clock approaches the system's, as a fraction of the elapsed time. */
const SLEW = 0.1;

/**
 * A wall clock, in milliseconds since 1970, that follows steps of the system's clock slowly. Ages and due times use it,
 * so that correcting the system's clock neither parks deliveries nor delays them.
 */
export class SteadyWall {
  private atNowMs: number;
  private wallMs: number;
  /** Whether the clock was read since the last microtask. */
  private isFresh = false;

  constructor(private readonly clock: Clock) {
    this.atNowMs = clock.nowMs();
    this.wallMs = clock.wallMs();
  }

  /** The current time; the same value throughout one synchronous run of code. */
  nowMs(): number {
    if (!this.isFresh) this.read();
    return Math.floor(this.wallMs);
  }

  private read(): void {
    this.isFresh = true;
    queueMicrotask(() => {
      this.isFresh = false;
    });
    const nowMs = this.clock.nowMs();
    const passedMs = Math.max(0, nowMs - this.atNowMs);
    const missingMs = this.clock.wallMs() - (this.wallMs + passedMs);
    const slewMs = Math.min(Math.abs(missingMs), SLEW * passedMs);
    this.atNowMs = nowMs;
    this.wallMs += passedMs + Math.sign(missingMs) * slewMs;
  }
}
