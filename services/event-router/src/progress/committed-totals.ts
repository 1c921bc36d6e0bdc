import type { BaseKind, Counted, PartitionChanges } from '../store/changes';

/** Adds the counts of one name in the keys of a map: `a|name|…`. */
const add = (totals: Map<string, number>, counts: ReadonlyMap<string, number>): void => {
  for (const [key, count] of counts) {
    const [, name = ''] = key.split('|', 2);
    totals.set(name, (totals.get(name) ?? 0) + count);
  }
};

/** What this process has committed since its start, for metrics: without pipelines, so that there are few numbers. */
export class CommittedTotals {
  private readonly byState = new Map<string, number>();
  private readonly byKind = new Map<string, number>();

  /** Call it once for each commit that was applied. */
  add({ counts, bases }: Pick<PartitionChanges, 'counts' | 'bases'>): void {
    add(this.byState, counts);
    add(this.byKind, bases);
  }

  /** Number of deliveries that were opened (`Matched`) or have ended, by state. */
  get deliveries(): ReadonlyMap<Counted['state'], number> {
    return this.byState as ReadonlyMap<string, number> as ReadonlyMap<Counted['state'], number>;
  }

  /** Number of routed events, by kind. */
  get events(): ReadonlyMap<BaseKind, number> {
    return this.byKind as ReadonlyMap<string, number> as ReadonlyMap<BaseKind, number>;
  }
}
