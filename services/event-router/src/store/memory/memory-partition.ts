import type { Cursor, DeliveryKey, RecordMark, Repeat, StoredDelivery } from '../changes';
import { OpenDeliveries } from '../open-deliveries';
import { PackedRepeats } from '../packed-repeats';
import type { OffsetRange, PartitionProgress, WaitingKey } from '../router-store';

/** A stored delivery with the time at which its row was last written, in milliseconds of the database's clock. */
export interface StoredRow {
  readonly delivery: StoredDelivery;
  readonly changedMs: number;
}

const byOffsetAndPipeline = (a: DeliveryKey, b: DeliveryKey): number =>
  a.offset - b.offset || (a.pipeline < b.pipeline ? -1 : a.pipeline > b.pipeline ? 1 : 0);

const inOrder = (a: StoredRow, b: StoredRow): number => byOffsetAndPipeline(a.delivery, b.delivery);

const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  a < b ? -1 : 1;

/** The content of the database for one partition. */
export class MemoryPartition {
  epoch = 0;
  member: string | null = null;
  freeFromMs = -Infinity;
  sequence = 0;
  routed = 0;
  mark: RecordMark | null = null;
  open = new OpenDeliveries();
  readonly cursors = new Map<string, Cursor>();
  readonly repeats = new Map<number, Repeat>();
  finishedBeyond: readonly OffsetRange[] = [];
  storedBeyond: readonly DeliveryKey[] = [];
  private rowsByKey = new Map<string, StoredRow>();
  /** The rows in order, until one changes. */
  private ordered: readonly StoredRow[] | undefined;

  static readonly cursorKey = ({ lane, orderKey }: Pick<Cursor, 'lane' | 'orderKey'>): string =>
    `${lane}/${orderKey}`;

  /** Ordered by offset and pipeline. */
  get rows(): readonly StoredRow[] {
    this.ordered ??= [...this.rowsByKey.values()].sort(inOrder);
    return this.ordered;
  }

  /** The deliveries that match, in the order of {@link rows}. */
  deliveriesThat(match: (delivery: StoredDelivery) => boolean): StoredDelivery[] {
    const found: StoredRow[] = [];
    for (const row of this.rowsByKey.values()) if (match(row.delivery)) found.push(row);
    return found.sort(inOrder).map(({ delivery }) => delivery);
  }

  row({ offset, pipeline }: DeliveryKey): StoredRow | undefined {
    return this.rowsByKey.get(`${offset}/${pipeline}`);
  }

  setRow(delivery: StoredDelivery, changedMs: number): void {
    this.ordered = undefined;
    this.rowsByKey.set(`${delivery.offset}/${delivery.pipeline}`, { delivery, changedMs });
  }

  deleteRow({ offset, pipeline }: DeliveryKey): void {
    this.ordered = undefined;
    this.rowsByKey.delete(`${offset}/${pipeline}`);
  }

  get progress(): PartitionProgress {
    return {
      sequence: this.sequence,
      routed: this.routed,
      mark: this.mark,
      open: this.open.list(),
      cursors: [...this.cursors].sort(byKey).map(([, cursor]) => cursor),
      repeats: new PackedRepeats([...this.repeats.values()].sort((a, b) => a.offset - b.offset)),
      waiting: waitingKeys(this.rows.map(({ delivery }) => delivery)),
      finishedBeyond: this.finishedBeyond.map(({ start, end }) => ({
        start: Math.max(start, this.routed),
        end,
      })),
      storedBeyond: this.storedBeyond,
    };
  }

  /** Resets the progress to `routed`; rows are kept, with offsets lowered by `by`. */
  beginAnew(routed: number, by: number): void {
    this.epoch += 1;
    this.sequence = 0;
    this.routed = routed;
    this.mark = null;
    this.open = new OpenDeliveries();
    this.cursors.clear();
    this.repeats.clear();
    this.finishedBeyond = [];
    this.storedBeyond = [];
    const { rows } = this;
    this.ordered = undefined;
    this.rowsByKey = new Map();
    for (const { delivery, changedMs } of rows)
      this.setRow({ ...delivery, offset: delivery.offset - by }, changedMs);
  }
}

/** The keys with waiting deliveries, ordered by lane and key. @param deliveries of one partition, in order. */
const waitingKeys = (deliveries: readonly StoredDelivery[]): WaitingKey[] => {
  const keys = new Map<string, WaitingKey>();
  for (const { lane, orderKey, attempts, dueMs, state } of deliveries) {
    if (state !== 'Waiting') continue;
    const key = `${lane}/${orderKey}`;
    const known = keys.get(key) ?? { lane, orderKey, rows: 0, attempts, dueMs };
    keys.set(key, { ...known, rows: known.rows + 1 });
  }
  return [...keys].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, key]) => key);
};
