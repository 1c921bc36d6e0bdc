import type { OpenEntry } from '../progress/open-deliveries';
import type { OwnedPartition } from '../progress/owned-partition';
import type { CompiledPipeline } from '../routing/compiled-pipeline';
import type { WaitingKey } from '../store/router-store';
import { liveDelivery } from './delivery';
import { detachPart, unloadPart } from './detach-part';
import type { Detachment } from './detachment';
import { type HeldEvent, ownKeyOf } from './held-event';
import { KeyFlow } from './key-flow';
import type { KeyQueue } from './key-queue';
import type { LaneContext } from './lane-context';
import type { LaneIdentity } from '../store/lane-id';
import { LaneHealth } from './lane-health';
import type { LanePart } from './lane-part';
import { LaneParts } from './lane-parts';
import { leavePart } from './leave-part';
import { LaneShare } from './lane-share';
import type { SpillAllowance } from './spill-allowance';
import { spillKey } from './spill-key';

const MATCHED = { state: 'Matched', step: 'Filter', code: '' } as const;
/** Order keys that a blocked lane keeps in memory for probes, and deliveries that it keeps of each. */
const PROBE_KEYS = 10;
const PROBE_KEY_LENGTH = 2;
/** Most deliveries of a key in memory while it catches up. */
const MAX_KEY_LENGTH = 500;
/** How long before a probe the first deliveries of keys are read from the log. */
const PROBE_AHEAD_MS = 1_000;
/** Limit of the wait for a due time from before a restart: the clock may have been wrong. */
const MAX_RESTORED_WAIT_MS = 3_600_000;

/**
 * All live deliveries of one destination in this process, or those of one job, by partition and order key. A lane never
 * waits for another lane.
 */
export class Lane {
  readonly flow: KeyFlow;
  readonly health: LaneHealth;
  readonly share: LaneShare;
  readonly parts: LaneParts;
  /** `key`: deliveries of one order key are sent in order; `none`: each delivery is a key of its own. */
  ordering: 'key' | 'none' = 'key';
  /** Begins no further requests. */
  isClosed = false;
  /** Called when something can be sent: now, or at the given time of the monotonic clock. */
  onReady: (atMs?: number) => void = () => undefined;

  constructor(
    readonly identity: LaneIdentity,
    private readonly context: LaneContext,
  ) {
    const { clock, wall, options } = context;
    this.parts = new LaneParts(identity.id);
    this.health = new LaneHealth(clock, wall, options);
    this.share = new LaneShare(clock, options);
    this.flow = new KeyFlow(context, {
      onIdle: (key) => {
        this.forgetIdle(key);
      },
      onReady: (atMs) => {
        this.onReady(atMs);
      },
      rowBytes: () => this.parts.rowBytes,
      isBlocked: () => this.health.isBlocked,
    });
  }

  get destination(): LaneIdentity['destination'] {
    return this.identity.destination;
  }

  /** Number of live deliveries in memory. */
  get length(): number {
    return this.parts.length;
  }

  get bytes(): number {
    return this.parts.bytes;
  }

  /** Whether it has nothing to do: no request, no key, and nothing that is detached. */
  get isUnused(): boolean {
    return this.share.requests === 0 && this.parts.keyCount === 0 && this.parts.areIdle;
  }

  part(partition: OwnedPartition): LanePart {
    return this.parts.of(partition);
  }

  /** Counts the event as matched and opens a delivery for the pipeline, or leaves it to its detached key. */
  give(part: LanePart, held: HeldEvent, pipeline: CompiledPipeline): void {
    const { id } = pipeline.state;
    part.partition.count(id, MATCHED, this.context.wall.nowMs());
    const left = this.left(part, held, held.read.offset);
    if (left === undefined) this.giveAgain(part, held, pipeline);
    else part.partition.cursors.owe(left.cursor, id);
  }

  /** As {@link give}, for an event that was counted as matched before and left to its detached key. */
  giveAgain(part: LanePart, held: HeldEvent, pipeline: CompiledPipeline): void {
    const { id, version } = pipeline.state;
    const entry = { offset: held.read.offset, pipeline: id, version, attempts: 0, dueMs: 0 };
    part.partition.open.open(entry);
    this.resumeKey(part, held, pipeline, entry);
  }

  /** Resumes an open delivery whose event was read again, unless its key is detached. */
  resume(part: LanePart, held: HeldEvent, pipeline: CompiledPipeline, entry: OpenEntry): void {
    const left = this.left(part, held, part.position);
    entry.receivedMs = held.read.receivedAtMs;
    if (left === undefined) this.resumeKey(part, held, pipeline, entry);
    else left.fallAsleep([entry]);
  }

  /** As {@link resume}, without regard to detached keys: for a key that catches up. */
  resumeKey(part: LanePart, held: HeldEvent, pipeline: CompiledPipeline, entry: OpenEntry): void {
    const orderKey = this.keyIdOf(held);
    const key = part.key(orderKey);
    entry.receivedMs = held.read.receivedAtMs;
    const delivery = liveDelivery({ held, pipeline, orderKey, attempts: entry.attempts }, entry);
    this.context.endings.takeHold(key, delivery);
    key.live.push(delivery);
    if (key.state === 'idle' && entry.dueMs > 0) this.waitAsBefore(key, entry.dueMs);
    else this.flow.added(key, delivery);
  }

  /** Begins with a key that has rows in the store. @param dueMs milliseconds since 1970 of its next attempt; 0: at once. */
  restoreKey(
    partition: OwnedPartition,
    { orderKey, rows, dueMs }: Pick<WaitingKey, 'orderKey' | 'rows' | 'dueMs'>,
  ): void {
    const key = this.part(partition).key(orderKey);
    key.storedRows = rows;
    this.waitAsBefore(key, dueMs);
  }

  /** Adds a row that can be sent at once behind those of its key. Its source of rows must have it already. */
  addRow(partition: OwnedPartition, orderKey: string): void {
    const key = this.part(partition).key(orderKey);
    key.storedRows += 1;
    // A load that began before finds nothing yet, and must not take the key for empty.
    key.rowsFrom = partition.sequenceToCome;
    if (key.state === 'idle') this.flow.proceed(key);
  }

  /** Whether the lane has more open deliveries of the partition than it may have while attached. */
  isOverfull(part: LanePart): boolean {
    return part.length > this.maxOpen;
  }

  /** How many deliveries a part that catches up may be given now. */
  room(part: LanePart): number {
    if (this.health.isBlocked)
      return this.health.waitMs <= PROBE_AHEAD_MS
        ? Math.max(0, PROBE_KEYS - this.parts.keyCount)
        : 0;
    if (this.mayNotWork && this.length > this.share.openInDoubt / 2) return 0;
    if (this.mayNotWork) return this.roomInDoubt(part);
    return part.length <= this.maxOpen / 2 ? this.maxOpen - part.length : 0;
  }

  /** Most deliveries of one key in memory while it catches up. */
  get maxKeyLength(): number {
    return this.health.isBlocked ? PROBE_KEY_LENGTH : MAX_KEY_LENGTH;
  }

  /** Whether a part that catches up may be given one more delivery. */
  mayTake(part: LanePart): boolean {
    if (this.health.isBlocked) return this.room(part) > 0;
    return this.mayNotWork ? this.roomInDoubt(part) > 0 : part.length < this.maxOpen;
  }

  /**
   * Detaches the part at `position`; what is not in a request leaves memory. A job's lane has rows only: it lets them go
   * while it is blocked, and is not detached.
   */
  detach(part: LanePart, position: number): void {
    if (this.identity.job === null) detachPart(part, position, this, this.context);
    else unloadPart(part, this, this.context);
  }

  /** Removes from memory what is neither in a request nor being loaded; see {@link isClosed}. @returns whether nothing is. */
  leave(partition: OwnedPartition): boolean {
    const part = this.parts.get(partition);
    return part === undefined || leavePart(part, this, this.context);
  }

  /** Ends the pause; waiting deliveries are sent at once. @param hasSucceeded another process has succeeded. */
  unpause(hasSucceeded: boolean): void {
    if (this.health.state !== 'paused') return;
    this.health.resume(hasSucceeded);
    this.onReady();
    this.context.onRoom();
  }

  /** Detaches all parts: the deliveries wait in the log. */
  detachAll(): void {
    for (const part of this.parts) this.detach(part, part.partition.routed);
  }

  /** Updates whether the lane is stuck, and releases keys that wait for deleted functions or for room. Call it periodically. */
  lookAfter(): void {
    this.share.look(this.parts.areIdle);
    this.flow.lookAfter();
  }

  /** Whether a key has failed for so long that its waiting deliveries should be spilled. */
  get hasOverdue(): boolean {
    return !this.overdue().next().done;
  }

  /** Moves the deliveries of keys that have failed for too long to the store, as far as the allowance goes. */
  spill(allowance: SpillAllowance): void {
    for (const [part, key] of this.overdue()) {
      if (allowance.isUsedUp) return;
      spillKey(part, key, this.context, allowance);
    }
  }

  /** Removes everything of the partition from memory. */
  drop(partition: OwnedPartition): void {
    const part = this.parts.take(partition);
    if (part === undefined) return;
    for (const key of part.keys.values()) {
      for (const delivery of [...key.live.splice(0), ...key.loaded.splice(0)])
        this.context.endings.letGo(key, delivery);
      key.isForgotten = true;
      this.flow.troubled.delete(key);
    }
    this.flow.ready = this.flow.ready.filter((key) => key.partition !== partition);
  }

  /** Keys that have failed for too long, with their parts; none while the lane is blocked, suspect or delayed. */
  private *overdue(): Generator<[LanePart, KeyQueue]> {
    const { clock, options } = this.context;
    const { isBlocked, isSuspect, waitMs } = this.health;
    if (isBlocked || isSuspect || waitMs > 0) return;
    const beforeMs = clock.nowMs() - options.spillAfterMs;
    for (const key of this.flow.troubled) {
      const isOverdue = (key.troubleFromMs ?? Infinity) <= beforeMs && key.state === 'waiting';
      const part = this.parts.get(key.partition);
      if (part !== undefined && isOverdue && key.live.length > 0) yield [part, key];
    }
  }

  /**
   * The detachment of the event's key, which will read the event from the log again; undefined: the event can be taken
   * now. A blocked lane keeps only the first events of each key and detaches the key then, so that it reaches other
   * keys to probe with.
   *
   * @param position at which the key is detached.
   */
  private left(part: LanePart, held: HeldEvent, position: number): Detachment | undefined {
    const known = part.leftTo(held);
    if (known !== undefined) return known;
    const id = this.keyIdOf(held);
    const live = part.keys.get(id)?.live ?? [];
    const isFull =
      live.length >= PROBE_KEY_LENGTH && live.at(-1)?.entry.offset !== held.read.offset;
    if (!this.health.isBlocked || !isFull) return undefined;
    const left = part.detachKey(id, position, [], this.context.clock.nowMs());
    this.context.onBehind(part);
    return left;
  }

  /** Whether its requests only fail or never end. */
  private get mayNotWork(): boolean {
    return this.health.isSuspect || this.share.isStuck;
  }

  /** Room of a suspect or stuck part: at most what keeps it from being overfull, else it would be detached again. */
  private roomInDoubt(part: LanePart): number {
    return Math.min(this.share.openInDoubt - this.length, this.maxOpen - part.length);
  }

  /** Deliveries that may be open in each partition. */
  private get maxOpen(): number {
    return this.share.openOf(this.parts.count);
  }

  private keyIdOf({ read }: HeldEvent): string {
    if (this.ordering === 'key') return read.orderKey;
    return ownKeyOf(read);
  }

  private waitAsBefore(key: KeyQueue, dueMs: number): void {
    const nowMs = this.context.clock.nowMs();
    const restMs = Math.max(0, dueMs - this.context.wall.nowMs());
    key.troubleFromMs = nowMs;
    this.flow.troubled.add(key);
    this.flow.wait(key, nowMs + Math.min(restMs, MAX_RESTORED_WAIT_MS));
  }

  private forgetIdle(key: KeyQueue): void {
    const part = this.parts.get(key.partition);
    if (part === undefined) return;
    part.forget(key);
    if (part.isBehind || this.identity.job !== null) this.context.onRoom();
  }
}
