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

/** A place that a process did not use for so long, as when it was frozen, is another one's by now. */
const KEPT_MS = 1_000;

/**
 * Gives a call to the application its place among those of all executors.
 *
 * @returns milliseconds until it may go.
 */
export type ReserveCall = (ratePerSecond: number) => Promise<number>;

/** Lets the calls of one reading go at a rate at most, which all readings of the connection share. */
export class Pace {
  /** @param ratePerSecond undefined: there is no limit. */
  constructor(
    private readonly ratePerSecond: number | undefined,
    private readonly reserve: ReserveCall,
    private readonly clock: PaceClock = CLOCK,
  ) {}

  /** Waits until the next call may go. */
  async turn(signal: AbortSignal): Promise<void> {
    if (this.ratePerSecond === undefined) return;
    const { nowMs, wait } = this.clock;
    for (let endMs = -Infinity; nowMs() > endMs;) {
      const waitMs = await this.reserve(this.ratePerSecond);
      signal.throwIfAborted();
      // From the answer on: with a slow store, no place would be used in time, and each would cost the others theirs.
      const startMs = nowMs();
      if (waitMs > 0) await wait(waitMs, signal);
      endMs = startMs + waitMs + KEPT_MS;
    }
  }
}
