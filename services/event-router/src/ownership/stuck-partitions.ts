import type { LeaseState } from './lease-state';

/** States in which a partition is not for long when all is well. */
const PASSING: ReadonlySet<LeaseState> = new Set(['wanted', 'leasing', 'restoring', 'leaving']);

/** For how long each partition has been on its way to somewhere; looked at now and then. */
export class StuckPartitions {
  private readonly fromMs = new Map<number, number>();

  /** @param nowMs of the monotonic clock. */
  look(states: ReadonlyMap<number, LeaseState>, nowMs: number): void {
    for (const [partition, state] of states)
      if (!PASSING.has(state)) this.fromMs.delete(partition);
      else if (!this.fromMs.has(partition)) this.fromMs.set(partition, nowMs);
  }

  /** Partitions that were on their way at each look for so long. */
  since(forMs: number, nowMs: number): number[] {
    return [...this.fromMs].flatMap(([partition, fromMs]) =>
      nowMs - fromMs >= forMs ? [partition] : [],
    );
  }
}
