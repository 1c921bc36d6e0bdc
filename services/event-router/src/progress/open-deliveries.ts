import type { PipelineId } from '@penstock/contracts';
import type { DeliveryKey, OpenDelivery } from '../store/changes';

/** The part of an open delivery that is stored. */
export interface OpenEntry extends OpenDelivery {
  attempts: number;
  dueMs: number;
  /** Milliseconds since 1970 at which its event was received; undefined until it is read again after a restart. */
  receivedMs?: number;
}

/** A snapshot replaces the change log of a partition after this many commits, or this time. */
const SNAPSHOT_COMMITS = 64;
const SNAPSHOT_MS = 5_000;
/** Number of different times at which partitions that begin together write their snapshots. */
const SNAPSHOT_TURNS = 10;

/** The changes of open deliveries in one commit. */
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
 * The open deliveries of one partition, and their changes since the last commit. A delivery that is opened and ends
 * between two commits is never written.
 */
export class OpenDeliveries {
  private readonly all = new Set<OpenEntry>();
  /** Those that the store has as open. */
  private readonly written = new Set<OpenEntry>();
  private readonly touched = new Set<OpenEntry>();
  private closed: OpenEntry[] = [];
  private commits = 0;
  /** The share by which the interval between the first two snapshots is shortened. */
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

  /** The lowest offset; Infinity when none is open. */
  get lowest(): number {
    let lowest = Infinity;
    for (const { offset } of this.all) lowest = Math.min(lowest, offset);
    return lowest;
  }

  /** Pipeline → when the oldest event was received of which a delivery is open, in milliseconds since 1970. */
  get oldest(): ReadonlyMap<PipelineId, number> {
    const oldest = new Map<PipelineId, number>();
    for (const { pipeline, receivedMs } of this.all)
      if (receivedMs !== undefined && receivedMs < (oldest.get(pipeline) ?? Infinity))
        oldest.set(pipeline, receivedMs);
    return oldest;
  }

  /** Adds a delivery that an earlier commit has left open. */
  restore(entry: OpenEntry): void {
    this.all.add(entry);
    this.written.add(entry);
  }

  open(entry: OpenEntry): void {
    this.all.add(entry);
    this.touched.add(entry);
  }

  /** Call it when an attempt has failed and the entry's `attempts` and `dueMs` were updated. */
  tried(entry: OpenEntry): void {
    if (this.all.has(entry)) this.touched.add(entry);
  }

  /** Removes a delivery that has ended or was spilled. @returns false when it was not open any more. */
  close(entry: OpenEntry): boolean {
    if (!this.all.delete(entry)) return false;
    this.touched.delete(entry);
    if (this.written.delete(entry)) this.closed.push(entry);
    return true;
  }

  /** The changes since the last call. */
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
