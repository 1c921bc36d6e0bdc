import type { CommitPlace } from '@penstock/contracts';
import type { OutcomeRecord } from '../changes';
import { cleanText } from '../clean-text';
import { packOutcomes } from '../packed-outcomes';
import type { CommittedOutcomes, Relayed, UnrelayedOutcomes } from '../router-store';

const DAY_MS = 86_400_000;

interface OutcomeRow extends CommittedOutcomes {
  readonly writtenMs: number;
}

type Place = Pick<CommitPlace, 'epoch' | 'sequence'>;

const isBehind = (row: Place, place: Place | undefined): boolean =>
  place === undefined ||
  row.epoch > place.epoch ||
  (row.epoch === place.epoch && row.sequence > place.sequence);

/** The outcomes by commit, and up to which commit they were relayed. */
export class MemoryOutcomes {
  private rows: OutcomeRow[] = [];
  private readonly relayed = new Map<number, Place>();

  /** In the order in which they were written: by partition, the order of the commits. */
  get list(): readonly OutcomeRow[] {
    return this.rows;
  }

  add(
    { partition, epoch, sequence }: CommitPlace,
    outcomes: readonly OutcomeRecord[],
    writtenMs: number,
  ): void {
    if (outcomes.length === 0) return;
    const day = Math.floor(writtenMs / DAY_MS);
    const clean = outcomes.map((each) => ({ ...each, code: cleanText(each.code) }));
    this.rows.push({ partition, epoch, sequence, day, outcomes: clean, writtenMs });
  }

  unrelayed(
    partitions: readonly number[],
    limits: { readonly rows: number; readonly maxBytes: number },
  ): UnrelayedOutcomes {
    const found = partitions
      .flatMap((partition) => this.behind(partition).map((row, index) => ({ row, index })))
      .sort((a, b) => a.index - b.index || a.row.partition - b.row.partition);
    const commits: CommittedOutcomes[] = [];
    let bytes = 0;
    for (const { row, index } of found) {
      if (index >= limits.rows || bytes >= limits.maxBytes) break;
      bytes += packOutcomes(row.outcomes).length;
      const { writtenMs: _, ...commit } = row;
      commits.push(commit);
    }
    return { commits, isAll: commits.length === found.length };
  }

  /** Moves the mark forward. To be called for current owners only. */
  markRelayed({ partition, to }: Relayed): void {
    if (isBehind(to, this.relayed.get(partition))) this.relayed.set(partition, to);
  }

  sweep(beforeMs: number): void {
    this.rows = this.rows.filter(({ writtenMs }) => writtenMs >= beforeMs);
  }

  private behind(partition: number): OutcomeRow[] {
    const place = this.relayed.get(partition);
    return this.rows.filter((row) => row.partition === partition && isBehind(row, place));
  }
}
