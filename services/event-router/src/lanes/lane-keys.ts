import type { Partition } from '../partitions/partition';
import { KeyQueue } from './key-queue';

/** The order keys of a lane that have anything. */
export class LaneKeys {
  private readonly keys = new Map<string, KeyQueue>();
  private readonly held = new Set<KeyQueue>();

  /** Deliveries in memory. */
  get length(): number {
    let sum = 0;
    for (const key of this.keys.values()) sum += key.live.length + key.loaded.length;
    return sum;
  }

  /** Keys that did not go on at once: what waits behind may have to go to the store. */
  get heldUp(): Iterable<KeyQueue> {
    return this.held;
  }

  of(partition: Partition, orderKey: string): KeyQueue {
    const known = this.keys.get(orderKey);
    if (known !== undefined && known.partition === partition) return known;
    const key = new KeyQueue(partition, orderKey);
    this.keys.set(orderKey, key);
    return key;
  }

  hold(key: KeyQueue): void {
    this.held.add(key);
  }

  forget(key: KeyQueue): void {
    this.held.delete(key);
    if (this.keys.get(key.orderKey) === key) this.keys.delete(key.orderKey);
  }

  drop(partition: Partition): void {
    for (const key of this.keys.values()) if (key.partition === partition) this.forget(key);
  }

  clear(): void {
    this.keys.clear();
    this.held.clear();
  }
}
