import type { BaseKind, Counted, PartitionChanges } from '../store/changes';
import { latencyOf } from '../store/latency-buckets';

/** Adds the counts of one name in the keys of a map: `a|name|…`. */
const add = (totals: Map<string, number>, counts: ReadonlyMap<string, number>): void => {
  for (const [key, count] of counts) {
    const [, name = ''] = key.split('|', 2);
    totals.set(name, (totals.get(name) ?? 0) + count);
  }
};

/** Endings that were taken back, since a redrive has ended their deliveries anew. */
const REDRIVEN = 'Redriven';

/** What this process has committed since its start, for metrics: without pipelines, so that there are few numbers. */
export class CommittedTotals {
  private readonly byState = new Map<string, number>();
  private readonly byKind = new Map<string, number>();
  private retried = 0;

  /** @param onDelivered is told latencies, in milliseconds, each with the number of deliveries that took so long. */
  constructor(private readonly onDelivered: (latencyMs: number, count: number) => void) {}

  /** Call it once for each commit that was applied. */
  add({
    counts,
    sources,
    times,
    redriven,
  }: Pick<PartitionChanges, 'counts' | 'sources' | 'times' | 'redriven'>): void {
    add(this.byState, counts);
    const takenBack = redriven.filter(({ endings }) => endings !== null).length;
    if (takenBack > 0) this.byState.set(REDRIVEN, (this.byState.get(REDRIVEN) ?? 0) + takenBack);
    add(this.byKind, sources);
    for (const { retries, latencies } of times.values()) {
      this.retried += retries;
      for (const [bucket, count] of latencies) this.onDelivered(latencyOf(bucket), count);
    }
  }

  /** Number of requests beyond the first of each delivery that has ended. */
  get retries(): number {
    return this.retried;
  }

  /** Number of deliveries that were opened (`Matched`), have ended, by state, or have ended anew (`Redriven`). */
  get deliveries(): ReadonlyMap<Counted['state'] | typeof REDRIVEN, number> {
    return this.byState as ReadonlyMap<string, number> as ReadonlyMap<
      Counted['state'] | typeof REDRIVEN,
      number
    >;
  }

  /** Number of routed events, by kind; each is counted once, whatever lanes it was given to. */
  get events(): ReadonlyMap<BaseKind, number> {
    return this.byKind as ReadonlyMap<string, number> as ReadonlyMap<BaseKind, number>;
  }
}
