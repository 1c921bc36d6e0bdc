import type { LeaseState } from './lease-state';

/** States that a partition leaves soon in normal operation. */
const TRANSIENT: ReadonlySet<LeaseState> = new Set(['wanted', 'leasing', 'restoring', 'leaving']);

/** Tracks since when each partition has been in a transient state. */
export class StuckPartitions {
  private readonly fromMs = new Map<number, number>();

  /** Records the states. Call it periodically. @param nowMs of the monotonic clock. */
  look(states: ReadonlyMap<number, LeaseState>, nowMs: number): void {
    for (const [partition, state] of states)
      if (!TRANSIENT.has(state)) this.fromMs.delete(partition);
      else if (!this.fromMs.has(partition)) this.fromMs.set(partition, nowMs);
  }

  /** Partitions that have been in transient states for at least `forMs` milliseconds. */
  since(forMs: number, nowMs: number): number[] {
    return [...this.fromMs].flatMap(([partition, fromMs]) =>
      nowMs - fromMs >= forMs ? [partition] : [],
    );
  }
}
