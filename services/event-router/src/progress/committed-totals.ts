import type { BaseKind, Counted, PartitionChanges } from '../store/changes';

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

  /** Call it once for each commit that was applied. */
  add({ counts, bases, redriven }: Pick<PartitionChanges, 'counts' | 'bases' | 'redriven'>): void {
    add(this.byState, counts);
    const takenBack = redriven.filter(({ endings }) => endings !== null).length;
    if (takenBack > 0) this.byState.set(REDRIVEN, (this.byState.get(REDRIVEN) ?? 0) + takenBack);
    add(this.byKind, bases);
  }

  /** Number of deliveries that were opened (`Matched`), have ended, by state, or have ended anew (`Redriven`). */
  get deliveries(): ReadonlyMap<Counted['state'] | typeof REDRIVEN, number> {
    return this.byState as ReadonlyMap<string, number> as ReadonlyMap<
      Counted['state'] | typeof REDRIVEN,
      number
    >;
  }

  /** Number of routed events, by kind. */
  get events(): ReadonlyMap<BaseKind, number> {
    return this.byKind as ReadonlyMap<string, number> as ReadonlyMap<BaseKind, number>;
  }
}
