import type { JobId, PipelineId } from '@penstock/contracts';
import type { OfReplay, ReplayBook, RowDelivery } from '../lanes/delivery';
import type { Lane } from '../lanes/lane';
import type { GatheredReplay } from '../progress/gathered-replay';
import type { OwnedPartition } from '../progress/owned-partition';
import { hasMemory } from '../reading/has-memory';
import type { KeyRow } from '../sending/rows-of-key';
import {
  type DeliveryKey,
  type Ending,
  REJECTING_STEPS,
  type ReplayCount,
  type ReplayFailure,
} from '../store/changes';
import { cleanText } from '../store/clean-text';
import type { ReplayRest } from '../store/replay-delivery-store';
import type { OffsetRange } from '../store/router-store';
import { OpenReplayedDeliveries } from './open-replayed-deliveries';
import { ReplayedBodies, type ReplayedBodiesContext } from './replayed-bodies';

/** Open deliveries that are not of failing keys, up to which a part reads on; it begins again at half as many. */
const MAX_READY = 500;
/** Open deliveries, those of failing keys included, up to which a part reads on. */
const MAX_OPEN = 10_000;
/** Open deliveries up to which a part reads on while its lane is blocked. */
const MAX_PROBES = 10;
/** Rejected and parked deliveries that are kept of each partition. */
const MAX_FAILURES = 1_000;

/** What a part has to know of its replay. */
export interface ReplayOfPart {
  readonly id: JobId;
  readonly pipeline: PipelineId;
  /** The version whose deliveries these are. */
  readonly version: number;
}

const failureOf = (delivery: RowDelivery, ending: Ending, atMs: number): ReplayFailure => {
  const { attempts, held } = delivery;
  const { event, offset, receivedAtMs } = held.read;
  const text = (name: string): string | null => (event[name] as string | undefined) ?? null;
  return {
    ...{ offset, ending, attempts, atMs, receivedMs: receivedAtMs },
    messageId: text('messageId') ?? '',
    source: text('connectionId') ?? '',
    userId: text('userId'),
    previousId: text('previousId'),
  };
};

const countedAs = ({ state, step, code }: Ending): ReplayCount[] => {
  if (state === 'Delivered') return ['delivered'];
  if (state === 'Rejected')
    return ['rejected', ...REJECTING_STEPS.filter((rejecting) => rejecting === step)];
  if (state === 'Parked') return ['parked'];
  return [code === 'Suppressed' ? 'suppressed' : 'filtered'];
};

/**
 * A replay in one partition: how far it has read its window, and its open deliveries. Everything that it notes is written
 * with the partition's next commit.
 */
export class ReplayPart implements ReplayBook {
  private readonly open = new OpenReplayedDeliveries();
  private readonly bodies: ReplayedBodies;
  private readonly of: OfReplay;
  private next: number;
  private failures: number;
  private hasStopped = false;

  constructor(
    private readonly replay: ReplayOfPart,
    private readonly lane: Lane,
    readonly partition: OwnedPartition,
    private readonly rest: ReplayRest,
    private readonly context: ReplayedBodiesContext,
  ) {
    this.next = rest.position;
    this.failures = rest.failures;
    this.of = { job: replay.id, book: this };
    this.bodies = new ReplayedBodies(partition.number, (at) => this.open.has(at), context);
    for (const delivery of rest.open) this.open.add(delivery);
  }

  /**
   * Gives the lane what was open when the part was taken up. Call it once, when the lane can load rows of the part: a key
   * of which it finds none is given up.
   */
  restore(): void {
    for (const [orderKey, deliveries] of this.open.keys) this.restoreKey(orderKey, deliveries);
  }

  get window(): OffsetRange {
    return this.rest.window;
  }

  /** The next offset to read. */
  get position(): number {
    return this.next;
  }

  get isRead(): boolean {
    return this.next >= this.window.end;
  }

  /** Whether the part may work on. */
  get mayWork(): boolean {
    return this.partition.maySend && !this.hasStopped && !this.lane.isClosed;
  }

  /** Whether there is room for one more delivery. */
  get hasRoom(): boolean {
    return this.mayTake(MAX_READY);
  }

  /** Whether there is so much room that another slice of the window should be read. */
  get needsMore(): boolean {
    return !this.isRead && this.mayTake(MAX_READY / 2);
  }

  /** Notes that the record was read, and counts it. */
  count(offset: number, counted: ReplayCount): void {
    this.moveTo(offset + 1, (gathered) => {
      gathered.count('events');
      gathered.count(counted);
    });
  }

  /** Notes that everything below the offset was read; `expired` records of it had left the log. */
  skipTo(offset: number, expired = 0): void {
    this.moveTo(offset, (gathered) => {
      if (expired === 0) return;
      gathered.count('events', expired);
      gathered.count('expired', expired);
    });
  }

  /** Notes that the record was read, and opens a delivery for it. */
  give(offset: number, key: string, body: string): void {
    const orderKey = cleanText(key);
    const delivery = { offset, orderKey, attempts: 0, dueMs: 0 };
    this.moveTo(offset + 1, (gathered) => {
      gathered.count('events');
      gathered.open(delivery);
    });
    this.open.add(delivery);
    this.bodies.keep(offset, body);
    this.lane.addRow(this.partition, orderKey);
  }

  /** The open deliveries of a key after `after`, in order; see `RowsAfter`. */
  async rows(
    orderKey: string,
    after: DeliveryKey | null,
    limits: { readonly rows: number; readonly maxBytes: number },
  ): Promise<readonly KeyRow[]> {
    const { pipeline, version } = this.replay;
    const rows: KeyRow[] = [];
    let bytes = 0;
    for (const each of this.open.after(orderKey, after?.offset ?? -1, limits.rows)) {
      const { offset, attempts } = each;
      const body = await this.bodies.takeOut(offset);
      const about = { offset, pipeline, version, orderKey, attempts, reason: '', redrive: null };
      rows.push({ ...about, body: body ?? '', replay: this.of, isErased: body === undefined });
      bytes += body?.length ?? 0;
      if (bytes >= limits.maxBytes) break;
    }
    return rows;
  }

  /**
   * Stops, once nothing is in a request any more, and records with the partition's next commit that it has stopped. Call
   * it repeatedly.
   */
  stop(): void {
    if (this.hasStopped || this.partition.isGone) return;
    if (!this.lane.leave(this.partition)) return;
    this.forget();
    this.partition.gather(({ redrivesStopped }) => {
      redrivesStopped.push(this.replay.id);
    });
  }

  /** Removes everything from memory. */
  forget(): void {
    this.hasStopped = true;
    this.open.clear();
    this.bodies.clear();
  }

  tried(offset: number, attempts: number, dueMs: number): void {
    this.open.tried(offset, attempts, dueMs);
    this.gather((gathered) => {
      gathered.tries({ offset, attempts, dueMs });
    });
  }

  ended(delivery: RowDelivery, ending: Ending, atMs: number): void {
    const { offset } = delivery.held.read;
    const isFailure = ending.state === 'Rejected' || ending.state === 'Parked';
    const isKept = isFailure && this.failures < MAX_FAILURES;
    if (isKept) this.failures += 1;
    this.end(offset, countedAs(ending), isKept ? failureOf(delivery, ending, atMs) : undefined);
  }

  lost(offset: number, why: 'expired' | 'unreadable'): void {
    this.end(offset, [why]);
  }

  private end(offset: number, counted: readonly ReplayCount[], failure?: ReplayFailure): void {
    if (!this.open.remove(offset)) return;
    this.bodies.forget(offset);
    this.gather((gathered) => {
      gathered.end(offset, counted, failure);
    });
  }

  private restoreKey(orderKey: string, [first, ...others]: ReplayRest['open']): void {
    if (first === undefined) return;
    const { lane, partition } = this;
    const rows = 1 + others.length;
    if (first.attempts > 0) lane.restoreKey(partition, { orderKey, rows, dueMs: first.dueMs });
    else for (let row = 0; row < rows; row += 1) lane.addRow(partition, orderKey);
  }

  private mayTake(ready: number): boolean {
    const { lane, open, context } = this;
    if (!this.mayWork || !hasMemory(lane, context.budget)) return false;
    // Without a delivery to probe with, a blocked lane would stay so for ever.
    if (lane.health.isBlocked) return open.size < MAX_PROBES;
    if (open.size >= MAX_OPEN) return false;
    return open.size < ready || open.size - this.failing < ready;
  }

  /** Open deliveries of keys that have failed and have not succeeded since. */
  private get failing(): number {
    let failing = 0;
    for (const { partition, storedRows } of this.lane.flow.troubled)
      if (partition === this.partition) failing += storedRows;
    return failing;
  }

  private moveTo(next: number, note: (gathered: GatheredReplay) => void): void {
    this.next = Math.min(next, this.window.end);
    this.gather((gathered) => {
      gathered.moveTo(this.next);
      note(gathered);
    });
  }

  private gather(note: (gathered: GatheredReplay) => void): void {
    this.partition.gather((gathered) => {
      note(gathered.replay(this.replay.id, this.next));
    });
  }
}
