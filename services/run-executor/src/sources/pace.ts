import { setTimeout as pause } from 'node:timers/promises';

/** Where a {@link Pace} gets its time from. */
export interface PaceClock {
  /** Milliseconds of a clock that never goes back. */
  readonly nowMs: () => number;
  /** Rejects with the signal's reason when it fires. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

const CLOCK: PaceClock = {
  nowMs: () => performance.now(),
  wait: async (ms, signal) => {
    await pause(ms, undefined, { signal }).catch(() => undefined);
    signal.throwIfAborted();
  },
};

/** Lets the calls of one reading go at a rate at most. Other readings of the same application are not counted. */
export class Pace {
  private nextMs = -Infinity;

  /** @param ratePerSecond undefined: there is no limit. */
  constructor(
    private readonly ratePerSecond: number | undefined,
    private readonly clock: PaceClock = CLOCK,
  ) {}

  /** Waits until the next call may go. */
  async turn(signal: AbortSignal): Promise<void> {
    if (this.ratePerSecond === undefined) return;
    const { nowMs, wait } = this.clock;
    const now = nowMs();
    const atMs = Math.max(now, this.nextMs);
    this.nextMs = atMs + 1_000 / this.ratePerSecond;
    if (atMs > now) await wait(atMs - now, signal);
  }
}
