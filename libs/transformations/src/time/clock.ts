/** Time as waits see it. Tests put one in its place that they move themselves. */
export interface Clock {
  /** Milliseconds since some moment; never goes back, whatever the system's time does. */
  nowMs(): number;
  /**
   * Calls back once, so many milliseconds from now.
   *
   * @returns what calls it off.
   */
  after(delayMs: number, callback: () => void): () => void;
}
