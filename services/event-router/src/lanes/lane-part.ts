import type { OpenEntry } from '../progress/open-deliveries';
import type { OwnedPartition } from '../progress/owned-partition';
import { Detachment } from './detachment';
import { type HeldEvent, ownKeyOf } from './held-event';
import { KeyQueue, type Tally } from './key-queue';
import type { LaneId } from '../store/lane-id';

/** The keys and detachments of a lane in one partition. */
export class LanePart implements Tally {
  readonly keys = new Map<string, KeyQueue>();
  /** Detached order keys: they have more deliveries than they may store, or than a blocked lane keeps. */
  readonly keyDetachments = new Map<string, Detachment>();
  /** Undefined: the lane is attached in this partition. */
  detachment: Detachment | undefined;
  length = 0;
  bytes = 0;
  rowBytes = 0;

  constructor(
    readonly lane: LaneId,
    readonly partition: OwnedPartition,
  ) {}

  /** The first offset that the lane has not been given. */
  get position(): number {
    return this.detachment?.cursor.position ?? this.partition.routed;
  }

  /** Whether the lane or one of its keys is detached. */
  get isBehind(): boolean {
    return this.detachment !== undefined || this.keyDetachments.size > 0;
  }

  key(id: string): KeyQueue {
    const known = this.keys.get(id);
    if (known !== undefined) return known;
    const key = new KeyQueue(this.partition, id, this);
    this.keys.set(id, key);
    return key;
  }

  forget(key: KeyQueue): void {
    key.isForgotten = true;
    if (this.keys.get(key.id) === key) this.keys.delete(key.id);
  }

  /**
   * Detaches the lane at the position; a lane that is detached already keeps its position and gets more of `asleep`.
   */
  detach(position: number, asleep: readonly OpenEntry[], nowMs: number): void {
    this.detachment ??= this.begin('', position, nowMs);
    this.detachment.fallAsleep(asleep);
  }

  /** Attaches the lane, which has been given everything, to the live reader. */
  attach(): void {
    if (this.detachment === undefined) return;
    this.partition.dropCursor(this.detachment.cursor);
    this.detachment = undefined;
  }

  /** As {@link detach}, for one order key. */
  detachKey(id: string, position: number, asleep: readonly OpenEntry[], nowMs: number): Detachment {
    const detachment = this.keyDetachments.get(id) ?? this.begin(id, position, nowMs);
    this.keyDetachments.set(id, detachment);
    detachment.fallAsleep(asleep);
    return detachment;
  }

  /**
   * The detachment of the event's key, if it is detached. Looks for both forms of the key: whether a lane delivers in
   * order is a setting, which may have changed since.
   */
  leftTo({ read }: HeldEvent): Detachment | undefined {
    if (this.keyDetachments.size === 0) return undefined;
    return this.keyDetachments.get(read.orderKey) ?? this.keyDetachments.get(ownKeyOf(read));
  }

  attachKey(id: string): void {
    const detachment = this.keyDetachments.get(id);
    if (detachment === undefined) return;
    this.partition.dropCursor(detachment.cursor);
    this.keyDetachments.delete(id);
  }

  private begin(orderKey: string, position: number, nowMs: number): Detachment {
    const cursor = this.partition.holdCursor({ lane: this.lane, orderKey }, position);
    return new Detachment(cursor, nowMs);
  }
}
