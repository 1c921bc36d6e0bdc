import type { ConnectionId } from '@penstock/contracts';
import type { OpenEntry } from '../progress/open-deliveries';
import type { OwnedPartition } from '../progress/owned-partition';
import { Detachment } from './detachment';
import { type HeldEvent, ownKeyOf } from './held-event';
import { KeyQueue, type Tally } from './key-queue';

/** What a lane has of one partition. */
export class LanePart implements Tally {
  readonly keys = new Map<string, KeyQueue>();
  /** Order keys that stand below the rest of the lane: they have more than they may store. */
  readonly keyDetachments = new Map<string, Detachment>();
  /** Undefined: the lane is attached here, the live reader serves it. */
  detachment: Detachment | undefined;
  length = 0;
  bytes = 0;

  constructor(
    readonly lane: ConnectionId,
    readonly partition: OwnedPartition,
  ) {}

  /** The first offset that the lane was not given. */
  get position(): number {
    return this.detachment?.cursor.position ?? this.partition.routed;
  }

  /** Whether anything of it stands below the live reader. */
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

  /** Detached at the position, or, detached already, with more that is asleep. */
  detach(position: number, asleep: readonly OpenEntry[], nowMs: number): void {
    this.detachment ??= this.begin('', position, nowMs);
    this.detachment.fallAsleep(asleep);
  }

  /** It has been given everything: the live reader serves it from here on. */
  attach(): void {
    if (this.detachment === undefined) return;
    this.partition.dropCursor(this.detachment.cursor);
    this.detachment = undefined;
  }

  /** As {@link detach}, of one order key. */
  detachKey(id: string, position: number, asleep: readonly OpenEntry[], nowMs: number): Detachment {
    const detachment = this.keyDetachments.get(id) ?? this.begin(id, position, nowMs);
    this.keyDetachments.set(id, detachment);
    detachment.fallAsleep(asleep);
    return detachment;
  }

  /**
   * The key that the event is left to, where that is detached. How the key was called may differ from how it is called
   * now: whether a lane keeps an order is a setting.
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
