/** A monotonic clock with timers. Tests replace it with one that they advance. */
export interface Clock {
  /** Milliseconds since an arbitrary time; never goes back, also when the system's time does. */
  nowMs(): number;
  /**
   * Calls back once after the delay.
   *
   * @returns a function that cancels the call.
   */
  after(delayMs: number, callback: () => void): () => void;
}

/** The monotonic clock of the machine. */
export const systemClock: Clock = {
  nowMs: () => performance.now(),
  after: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs);
    return () => {
      clearTimeout(timer);
    };
  },
};
