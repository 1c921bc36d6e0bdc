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

/** The oldest event of a partition that is still to be ended. */
interface Oldest {
  readonly offset: number;
  readonly appendedMs: number;
  /** Monotonic milliseconds of the last warning; undefined: none was needed. */
  warnedMs: number | undefined;
}

/** From this part of the retention on it is time to warn. */
const LATE = 0.8;
const WARN_AGAIN_MS = 3_600_000;

const waitingFrom = ({ open, cursors, routed }: OwnedPartition): number | undefined => {
  const offset = Math.min(open.lowest, cursors.lowest);
  return offset < routed ? offset : undefined;
};

/** How long events wait in the log for destinations, and a warning long before retention takes them. */
export class OldestWaiting {
  private known = new Map<number, Oldest>();
  private isLooking = false;

  constructor(private readonly context: OldestWaitingContext) {}

  /** Milliseconds since the oldest event was appended, by partition; without those in which none waits. */
  get agesMs(): ReadonlyMap<number, number> {
    return new Map([...this.known].map(([partition, oldest]) => [partition, this.ageMs(oldest)]));
  }

  /** To be called now and then; reads one record of each partition in which something else is the oldest now. */
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
    const isSaid = oldest.warnedMs !== undefined && nowMs - oldest.warnedMs < WARN_AGAIN_MS;
    if (isSaid || this.ageMs(oldest) < LATE * retentionMs) return;
    oldest.warnedMs = nowMs;
    const hours = (ms: number): number => Math.floor(ms / 3_600_000);
    onError(
      new Error(
        `events partition ${partition} offset ${oldest.offset} has waited for a destination for ` +
          `${hours(this.ageMs(oldest))} hours, and the log keeps it for ${hours(retentionMs)}`,
      ),
    );
  }

  private ageMs({ appendedMs }: Oldest): number {
    return Math.max(0, this.context.clock.wallMs() - appendedMs);
  }
}
