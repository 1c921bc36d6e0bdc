import type { Clock } from '../time/clock';

/** The smallest factor. */
const LEAST = 1 / 64;
/** After this time without a 429 the factor is multiplied by `RECOVERY`. */
const RECOVERY_MS = 10_000;
const RECOVERY = 1.5;
/** Answers of 429 within this time count once: their requests were under way together. */
const SAME_MS = 1_000;

/** Reduces a lane's rate and concurrency after answers of 429, and restores them in steps. */
export class Throttle {
  private part = 1;
  private changedMs = -Infinity;

  constructor(private readonly clock: Clock) {}

  /** The factor of rate and concurrency, from 1/64 to 1. */
  get factor(): number {
    const nowMs = this.clock.nowMs();
    while (this.part < 1 && nowMs - this.changedMs >= RECOVERY_MS) {
      this.part = Math.min(1, this.part * RECOVERY);
      this.changedMs += RECOVERY_MS;
    }
    return this.part;
  }

  /** Halves the factor. Call it after an answer of 429. */
  slowDown(): void {
    const nowMs = this.clock.nowMs();
    const { factor } = this;
    if (factor < 1 && nowMs - this.changedMs < SAME_MS) return;
    this.part = Math.max(LEAST, factor / 2);
    this.changedMs = nowMs;
  }
}
