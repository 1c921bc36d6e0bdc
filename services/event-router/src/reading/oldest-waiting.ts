import type { OwnedPartition } from '../progress/owned-partition';
import type { Clock } from '../time/clock';
import type { ReadSlice } from './live-routing';

export interface OldestWaitingContext {
  readonly clock: Clock;
  readonly read: ReadSlice;
  /** Milliseconds for which the log keeps events. */
  readonly retentionMs: number;
  readonly onError: (error: unknown) => void;
}

/** The oldest event of a partition with an open delivery. */
interface Oldest {
  readonly offset: number;
  readonly appendedMs: number;
  /** Monotonic milliseconds of the last warning; undefined: none was needed. */
  warnedMs: number | undefined;
}

/** Share of the retention from which a warning is due. */
const LATE = 0.8;
const WARN_AGAIN_MS = 3_600_000;

const waitingFrom = ({ open, cursors, routed }: OwnedPartition): number | undefined => {
  const offset = Math.min(open.lowest, cursors.lowest);
  return offset < routed ? offset : undefined;
};

/** Measures how long events have waited in the log, and warns before retention removes them. */
export class OldestWaiting {
  private known = new Map<number, Oldest>();
  private isLooking = false;

  constructor(private readonly context: OldestWaitingContext) {}

  /** Milliseconds since the oldest waiting event was appended, by partition; without partitions where none waits. */
  get agesMs(): ReadonlyMap<number, number> {
    return new Map([...this.known].map(([partition, oldest]) => [partition, this.ageMs(oldest)]));
  }

  /** Updates the ages. Call it periodically. Reads one record of each partition whose oldest event has changed. */
  async look(partitions: Iterable<OwnedPartition>): Promise<void> {
    if (this.isLooking) return;
    this.isLooking = true;
    const found = new Map<number, Oldest>();
    try {
      for (const partition of [...partitions]) {
        const oldest = await this.oldestOf(partition);
        if (oldest === undefined || partition.isGone) continue;
        found.set(partition.number, oldest);
        this.warn(partition.number, oldest);
      }
      this.known = found;
    } finally {
      this.isLooking = false;
    }
  }

  private async oldestOf(partition: OwnedPartition): Promise<Oldest | undefined> {
    const offset = waitingFrom(partition);
    if (offset === undefined) return undefined;
    const before = this.known.get(partition.number);
    if (before?.offset === offset) return before;
    const { records } = await this.context.read(partition.number, offset, 1);
    const [record] = records;
    return record && { offset, appendedMs: record.timestampMs, warnedMs: before?.warnedMs };
  }

  private warn(partition: number, oldest: Oldest): void {
    const { clock, retentionMs, onError } = this.context;
    const nowMs = clock.nowMs();
    const wasWarned = oldest.warnedMs !== undefined && nowMs - oldest.warnedMs < WARN_AGAIN_MS;
    if (wasWarned || this.ageMs(oldest) < LATE * retentionMs) return;
    oldest.warnedMs = nowMs;
    const hours = (ms: number): number => Math.floor(ms / 3_600_000);
    onError(
      new Error(
        `events partition ${partition} offset ${oldest.offset} has waited for a destination for ` +
          `${hours(this.ageMs(oldest))} hours, and the log keeps it for ${hours(retentionMs)}: repair or delete the ` +
          'destination, see penstock_router.lanes, or raise PENSTOCK_EVENTS_RETENTION, else it is lost',
      ),
    );
  }

  private ageMs({ appendedMs }: Oldest): number {
    return Math.max(0, this.context.clock.wallMs() - appendedMs);
  }
}
