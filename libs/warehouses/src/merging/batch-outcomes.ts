import type {
  IdentityBatch,
  IdentityOutcome,
  RunOfBatch,
  Settled,
  SettledAs,
} from '../platform/warehouse-writer';

/** Stored outcome of an id of which the filter has left out the first record, and not every one. */
export const FILTERED_FIRST = 'FilteredFirst';

/** How a stored outcome is settled. */
export const settledAs = (outcome: string): SettledAs =>
  outcome === FILTERED_FIRST ? 'Filter' : (outcome as SettledAs);

const MERGED: IdentityOutcome = {};

/** Ids of a batch, each once, by what becomes of them. */
export interface WrittenIds {
  readonly merged: readonly string[];
  readonly refused: readonly string[];
  /** Those that the batch counts as something else. */
  readonly counted: readonly string[];
}

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
  writtenIds({ settled }: RunOfBatch): WrittenIds {
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
