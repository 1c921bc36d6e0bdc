import type { OpenEntry } from '../progress/open-deliveries';
import type { HeldCursor } from '../progress/cursors';

/** As a lane is given the deliveries of its pipelines, and as their rows are read. */
const inOrder = (a: OpenEntry, b: OpenEntry): number =>
  a.offset - b.offset || (a.pipeline < b.pipeline ? -1 : 1);

/** A lane, or one order key of it, stands below the live reader and is brought up by reading the log again. */
export class Detachment {
  /** Monotonic milliseconds at which it was served last. */
  servedMs: number;
  /** Open deliveries below the position, without their events in memory, in order. */
  readonly asleep: OpenEntry[] = [];
  private next: number;

  constructor(
    /** Its position is the first offset that was not given. */
    readonly cursor: HeldCursor,
    nowMs: number,
  ) {
    this.servedMs = nowMs;
    this.next = cursor.position;
  }

  /** The next offset to be read: of an open delivery below the position, or the position. */
  get at(): number {
    return this.next;
  }

  /** The offset of the first delivery that is asleep; Infinity without one. */
  get firstAsleep(): number {
    return this.asleep[0]?.offset ?? Infinity;
  }

  /** Deliveries that are open leave memory. */
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

  /** Everything below the offset has been given, or is not there. */
  skipTo(offset: number): void {
    this.next = Math.max(this.next, Math.min(offset, this.firstAsleep));
    this.cursor.position = Math.max(this.cursor.position, this.next);
  }
}
