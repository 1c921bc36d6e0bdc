import { setTimeout as sleep } from 'node:timers/promises';
import { pipelineCounts } from '../harness/pipeline-counts';
import type { Ledger } from './ledger';

/** Between the end of an event and its commit: the interval of 100 ms, and two commits of a loaded machine. */
const COMMIT_MS = 700;

/** What has left a dying process arrives within this after its end; its successor takes longer to come up. */
const ON_THE_WIRE_MS = 100;

/** The most that faults may have delivered twice: what was in flight at each, or had ended and was not committed. */
export class MayRepeat {
  private readonly faults: { readonly fromMs: number; readonly untilMs: number }[] = [];
  private uncommitted = 0;

  /** Does what ends a process at once. */
  async during<T>(fault: () => Promise<T>): Promise<T> {
    const fromMs = performance.now() - COMMIT_MS;
    const result = await fault();
    this.faults.push({ fromMs, untilMs: performance.now() + ON_THE_WIRE_MS });
    return result;
  }

  /**
   * Does what ends the only router, and asks the database how much of what the destinations have it knows of: not by
   * time, but to the delivery.
   */
  async duringTheOnly<T>(fault: () => Promise<T>, ledger: Ledger, databaseUrl: string): Promise<T> {
    const result = await fault();
    await sleep(ON_THE_WIRE_MS);
    const counts = await pipelineCounts(databaseUrl);
    const committed = counts
      .filter(({ state }) => state === 'Delivered')
      .reduce((sum, { count }) => sum + count, 0);
    this.uncommitted += Math.max(0, ledger.distinct - committed);
    return result;
  }

  /** Deliveries that were answered, or had arrived, in the time of a fault; each for each fault. */
  count({ successes }: Ledger): number {
    return this.faults.reduce(
      (sum, { fromMs, untilMs }) =>
        sum +
        successes.filter(({ atMs, answeredMs }) => answeredMs > fromMs && atMs < untilMs).length,
      this.uncommitted,
    );
  }
}
