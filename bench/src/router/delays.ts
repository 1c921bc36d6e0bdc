/** One bucket per millisecond below ten seconds. */
const FINE = 10_000;
/** One bucket per 100 ms above, up to about a quarter of an hour. */
const COARSE = 10_000;
const COARSE_MS = 100;

/** A histogram of delays. */
export class Delays {
  private readonly fine = new Uint32Array(FINE);
  private readonly coarse = new Uint32Array(COARSE);
  private count = 0;

  /** @param delayMs negative values, due to different clocks, count as 0. */
  note(delayMs: number): void {
    this.count += 1;
    const whole = Math.max(0, Math.floor(delayMs));
    if (whole < FINE) this.fine[whole] = (this.fine[whole] ?? 0) + 1;
    else {
      const bucket = Math.min(COARSE - 1, Math.floor((whole - FINE) / COARSE_MS));
      this.coarse[bucket] = (this.coarse[bucket] ?? 0) + 1;
    }
  }

  /** The sum of several histograms. */
  static together(all: Iterable<Delays>): Delays {
    const sum = new Delays();
    for (const { fine, coarse, count } of all) {
      sum.count += count;
      fine.forEach((times, bucket) => (sum.fine[bucket] = (sum.fine[bucket] ?? 0) + times));
      coarse.forEach((times, bucket) => (sum.coarse[bucket] = (sum.coarse[bucket] ?? 0) + times));
    }
    return sum;
  }

  /** @param share 0.99 for the 99th percentile. @returns milliseconds; 0 without values. */
  percentileMs(share: number): number {
    let left = Math.floor(this.count * share);
    for (let ms = 0; ms < FINE; ms += 1) {
      left -= this.fine[ms] ?? 0;
      if (left < 0) return ms;
    }
    for (let bucket = 0; bucket < COARSE; bucket += 1) {
      left -= this.coarse[bucket] ?? 0;
      if (left < 0) return FINE + bucket * COARSE_MS;
    }
    return 0;
  }
}
