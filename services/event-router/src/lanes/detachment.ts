import type { OpenEntry } from '../progress/open-deliveries';
import type { HeldCursor } from '../progress/cursors';

/** By offset, then by pipeline id: the order in which deliveries are opened and rows are loaded. */
const inOrder = (a: OpenEntry, b: OpenEntry): number =>
  a.offset - b.offset || (a.pipeline < b.pipeline ? -1 : 1);

/** Progress of a lane, or of one order key of a lane, that is behind the live reader and catches up from the log. */
export class Detachment {
  /** Monotonic milliseconds at which it was last given records. */
  servedMs: number;
  /** Open deliveries below the position, without their events in memory, in order. */
  readonly asleep: OpenEntry[] = [];
  private next: number;

  constructor(
    /** Its position is the first offset that the lane has not been given. */
    readonly cursor: HeldCursor,
    nowMs: number,
  ) {
    this.servedMs = nowMs;
    this.next = cursor.position;
  }

  /** The next offset to read: of the first open delivery below the position, or the position itself. */
  get at(): number {
    return this.next;
  }

  /** The offset of the first entry of `asleep`; Infinity when there is none. */
  get firstAsleep(): number {
    return this.asleep[0]?.offset ?? Infinity;
  }

  /** Adds open deliveries whose events have left memory. */
  fallAsleep(entries: readonly OpenEntry[]): void {
    if (entries.length === 0) return;
    this.asleep.push(...entries);
    this.asleep.sort(inOrder);
    this.next = Math.min(this.next, this.firstAsleep);
  }

  /** The deliveries that are asleep below the offset. */
  *asleepBelow(offset: number): Iterable<OpenEntry> {
    for (const entry of this.asleep) {
      if (entry.offset >= offset) return;
      yield entry;
    }
  }

  /** Takes the first delivery that is asleep when it is of the offset. */
  wake(offset: number): OpenEntry | undefined {
    return this.firstAsleep === offset ? this.asleep.shift() : undefined;
  }

  /** Records that everything below the offset has been given to the lane, or does not exist. */
  skipTo(offset: number): void {
    this.next = Math.max(this.next, Math.min(offset, this.firstAsleep));
    this.cursor.position = Math.max(this.cursor.position, this.next);
  }
}
