import type { Clock } from '../time/clock';

/** How fast the steady time moves towards the system's, as a part of the time that passes. */
const SLEW = 0.1;

/**
 * Milliseconds since 1970 that never jump: steps of the system's time, in either direction, are followed slowly. Ages
 * and due times are reckoned by it, so that a wrong clock that is set right parks nothing and holds nothing up.
 */
export class SteadyWall {
  private atNowMs: number;
  private wallMs: number;
  /** The clock was read in this stretch of code that runs without waiting. */
  private isFresh = false;

  constructor(private readonly clock: Clock) {
    this.atNowMs = clock.nowMs();
    this.wallMs = clock.wallMs();
  }

  /** The same for all that is done without waiting in between. */
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
