import { BoundedCache } from '../cache/bounded-cache';

const CAUSES = 100;
const QUIET_MS = 60_000;

interface Logged {
  readonly atMs: number;
  /** Refusals with the same cause since the last one that was logged. */
  readonly unlogged: number;
}

/** Limits logging to one line a minute per cause: an outage refuses thousands of requests. */
export class Outages {
  private readonly causes = new BoundedCache<string, Logged>(CAUSES);

  /**
   * Counts a refused request.
   *
   * @returns how many of this cause were not logged since the last one that was; undefined when this one is not to be
   *   logged either.
   */
  count(cause: string, nowMs = Date.now()): number | undefined {
    const last = this.causes.get(cause);
    if (last !== undefined && nowMs < last.atMs + QUIET_MS) {
      this.causes.set(cause, { ...last, unlogged: last.unlogged + 1 });
      return undefined;
    }
    this.causes.set(cause, { atMs: nowMs, unlogged: 0 });
    return last?.unlogged ?? 0;
  }
}
