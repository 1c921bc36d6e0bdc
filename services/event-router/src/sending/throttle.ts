import type { Clock } from '../time/clock';

/** Never less than this part of what the connector allows. */
const LEAST = 1 / 64;
/** A destination that has not complained for so long is asked half as much again. */
const RECOVERY_MS = 10_000;
const RECOVERY = 1.5;
/** Complaints about requests that were under way together count once. */
const SAME_MS = 1_000;

/** How much of its rate and concurrency a lane uses: less after each 429, and all of it again in time. */
export class Throttle {
  private part = 1;
  private changedMs = -Infinity;

  constructor(private readonly clock: Clock) {}

  /** From nearly 0 to 1. */
  get factor(): number {
    const nowMs = this.clock.nowMs();
    while (this.part < 1 && nowMs - this.changedMs >= RECOVERY_MS) {
      this.part = Math.min(1, this.part * RECOVERY);
      this.changedMs += RECOVERY_MS;
    }
    return this.part;
  }

  /** The destination wants fewer requests. */
  slowDown(): void {
    const nowMs = this.clock.nowMs();
    const { factor } = this;
    if (factor < 1 && nowMs - this.changedMs < SAME_MS) return;
    this.part = Math.max(LEAST, factor / 2);
    this.changedMs = nowMs;
  }
}
