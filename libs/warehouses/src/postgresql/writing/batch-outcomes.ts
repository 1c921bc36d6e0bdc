import type {
  IdentityBatch,
  IdentityOutcome,
  RunOfBatch,
  Settled,
  SettledAs,
} from '../../platform/warehouse-writer';
import { recordCounted, recordWritten, type WrittenIds } from './seen-statements';

const MERGED: IdentityOutcome = {};

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

  /**
   * Reads what the run had settled before, and records what it has settled now; nothing for what is of no run. Those that are
   * counted without being written come last: what they are is told of them otherwise.
   */
  statements(schema: string): readonly string[] {
    const { run } = this.batch;
    if (run === undefined) return [];
    return [
      recordWritten(schema, run, this.writtenIds(run)),
      ...(run.settled.size > 0 ? [recordCounted(schema, run)] : []),
    ];
  }

  /** What became of each update, in their order. */
  list(before: ReadonlyMap<string, Settled>): readonly IdentityOutcome[] {
    const { updates, run } = this.batch;
    const known = new Map(before);
    return updates.map(({ recordId }, place) => {
      const reason = this.refused.get(place);
      const earlier = run && known.get(recordId);
      if (run !== undefined && earlier === undefined)
        known.set(recordId, { as: this.asOf(recordId, place, run), batch: run.batch });
      if (reason === undefined && earlier === undefined) return MERGED;
      return {
        ...(reason !== undefined && { refused: reason }),
        ...(earlier !== undefined && { before: earlier }),
      };
    });
  }

  /** What the first update of a record id has made of it. */
  private asOf(recordId: string, place: number, { settled }: RunOfBatch): SettledAs {
    return settled.get(recordId) ?? (this.refused.has(place) ? 'Finalize' : 'Merged');
  }

  /** By the first update of each record id. */
  private writtenIds({ settled }: RunOfBatch): WrittenIds {
    const ids = new Set<string>();
    const merged: string[] = [];
    const refused: string[] = [];
    const counted: string[] = [];
    this.batch.updates.forEach(({ recordId }, place) => {
      if (ids.has(recordId)) return;
      ids.add(recordId);
      if (settled.has(recordId)) counted.push(recordId);
      else (this.refused.has(place) ? refused : merged).push(recordId);
    });
    return { merged, refused, counted };
  }
}
