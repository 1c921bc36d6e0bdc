import type {
  IdentityBatch,
  IdentityOutcome,
  Settled,
  SettledAs,
} from '../../platform/warehouse-writer';
import { recordCounted, recordWritten, selectSeen } from './seen-statements';

/** What becomes of the updates of a batch while it is written. */
export class BatchOutcomes {
  private readonly refused: Map<number, string>;

  /** @param refused places of updates that are known to be refused, with the reasons. */
  constructor(
    private readonly batch: IdentityBatch,
    refused: ReadonlyMap<number, string>,
  ) {
    this.refused = new Map(refused);
  }

  refuse(places: readonly number[], reason: string): void {
    for (const place of places) this.refused.set(place, reason);
  }

  /** Reads what the run had settled before, and records what it has settled now; nothing for what is of no run. */
  statements(schema: string): readonly string[] {
    const { run } = this.batch;
    if (run === undefined) return [];
    const outcomes = this.byId();
    const idsAs = (as: SettledAs): readonly string[] =>
      [...outcomes].flatMap(([id, each]) => (each === as ? [id] : []));
    return [
      selectSeen(schema, run.id, [...outcomes.keys()]),
      ...(run.settled.size > 0 ? [recordCounted(schema, run)] : []),
      recordWritten(schema, run, idsAs('Merged'), 'Merged'),
      recordWritten(schema, run, idsAs('Finalize'), 'Finalize'),
    ];
  }

  /** What became of each update, in their order. */
  list(before: ReadonlyMap<string, Settled>): readonly IdentityOutcome[] {
    const { updates, run } = this.batch;
    const first = this.byId();
    const known = new Map(before);
    return updates.map(({ recordId }, place) => {
      const reason = this.refused.get(place);
      const earlier = run && known.get(recordId);
      const as = run?.settled.get(recordId) ?? first.get(recordId);
      if (run !== undefined && earlier === undefined && as !== undefined)
        known.set(recordId, { as, batch: run.batch });
      return {
        ...(reason !== undefined && { refused: reason }),
        ...(earlier !== undefined && { before: earlier }),
      };
    });
  }

  /** The outcome of the first update of each record id. */
  private byId(): ReadonlyMap<string, SettledAs> {
    const outcomes = new Map<string, SettledAs>();
    this.batch.updates.forEach(({ recordId }, place) => {
      if (!outcomes.has(recordId))
        outcomes.set(recordId, this.refused.has(place) ? 'Finalize' : 'Merged');
    });
    return outcomes;
  }
}
