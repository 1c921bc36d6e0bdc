import type { DeliveryKey, OpenDelivery } from '../store/changes';

/** A delivery that is open: what of it outlives this process. */
export interface OpenEntry extends OpenDelivery {
  attempts: number;
  dueMs: number;
}

/** How many commits, or how long, the change log of a partition may grow before it is written anew. */
const SNAPSHOT_COMMITS = 64;
const SNAPSHOT_MS = 5_000;
/** Partitions that begin together have their snapshots at so many different times. */
const SNAPSHOT_TURNS = 10;

/** What a commit says of the open deliveries. */
export interface OpenChanges {
  readonly open: readonly OpenDelivery[];
  readonly closed: readonly DeliveryKey[];
  readonly snapshot: readonly OpenDelivery[] | null;
}

const copied = ({ offset, pipeline, version, attempts, dueMs }: OpenEntry): OpenDelivery => ({
  offset,
  pipeline,
  version,
  attempts,
  dueMs,
});

/**
 * The open deliveries of one partition, and what of them has changed since the last commit. What is opened and ends
 * between two commits is never written.
 */
export class OpenDeliveries {
  private readonly all = new Set<OpenEntry>();
  /** Those that the store knows as open. */
  private readonly written = new Set<OpenEntry>();
  private readonly touched = new Set<OpenEntry>();
  private closed: OpenEntry[] = [];
  private commits = 0;
  /** The part of the way from the first snapshot to the second that is left out. */
  private lead: number;

  /**
   * The first commit is a snapshot. Later snapshots of partitions that begin together come at different times, so that
   * no commit holds them all.
   *
   * @param snapshotAtMs when the first snapshot is due, of the monotonic clock.
   */
  constructor(
    private snapshotAtMs: number,
    partition: number,
  ) {
    this.lead = (partition % SNAPSHOT_TURNS) / SNAPSHOT_TURNS;
  }

  get size(): number {
    return this.all.size;
  }

  /** The lowest offset of all; Infinity without any. */
  get lowest(): number {
    let lowest = Infinity;
    for (const { offset } of this.all) lowest = Math.min(lowest, offset);
    return lowest;
  }

  /** One that an earlier commit has left open. */
  restore(entry: OpenEntry): void {
    this.all.add(entry);
    this.written.add(entry);
  }

  open(entry: OpenEntry): void {
    this.all.add(entry);
    this.touched.add(entry);
  }

  /** It was tried; the entry says how often and when again. */
  tried(entry: OpenEntry): void {
    if (this.all.has(entry)) this.touched.add(entry);
  }

  /** It has ended, or a row holds it from now on. @returns false when it was not open any more. */
  close(entry: OpenEntry): boolean {
    if (!this.all.delete(entry)) return false;
    this.touched.delete(entry);
    if (this.written.delete(entry)) this.closed.push(entry);
    return true;
  }

  /** What has changed since this was last called. */
  take(nowMs: number): OpenChanges {
    const { closed } = this;
    const open = [...this.touched].map(copied);
    for (const entry of this.touched) this.written.add(entry);
    this.touched.clear();
    this.closed = [];
    if (open.length === 0 && closed.length === 0) return { open, closed, snapshot: null };
    this.commits += 1;
    const isTime = this.commits >= SNAPSHOT_COMMITS || nowMs >= this.snapshotAtMs;
    if (!isTime) return { open, closed, snapshot: null };
    this.commits = this.lead * SNAPSHOT_COMMITS;
    this.snapshotAtMs = nowMs + (1 - this.lead) * SNAPSHOT_MS;
    this.lead = 0;
    return { open, closed, snapshot: [...this.all].map(copied) };
  }
}
