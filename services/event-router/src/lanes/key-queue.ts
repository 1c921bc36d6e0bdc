import type { Partition } from '../partitions/partition';
import type { DeliveryKey } from '../store/changes';
import { type Delivery, needsFunction } from './delivery';

/**
 * - idle: nothing waits
 * - ready: in the lane's list, may be sent
 * - sending: some of its deliveries are in a request
 * - waiting: until it is due after a failure
 * - loading: its stored deliveries are being read
 * - transforming: its first delivery is with its function
 */
export type KeyState = 'idle' | 'ready' | 'sending' | 'waiting' | 'loading' | 'transforming';

/**
 * The deliveries of one order key of one lane, in order: first those in the store, then the live ones. At most
 * one request carries deliveries of a key at a time.
 */
export class KeyQueue {
  state: KeyState = 'idle';
  /** The front part of the stored ones, read into memory. */
  loaded: Delivery[] = [];
  live: Delivery[] = [];
  /** Rows in the store that have not ended, those in `loaded` and in a request included. */
  storedRows = 0;
  /** The last row that was read; those behind it are still only in the store. */
  cursor: DeliveryKey | null = null;
  /** Whether any of its deliveries has a function. */
  hasFunctions = false;

  constructor(
    readonly partition: Partition,
    readonly orderKey: string,
  ) {}

  /** What may be sent next. */
  get front(): Delivery[] {
    return this.storedRows > 0 ? this.loaded : this.live;
  }

  get needsLoading(): boolean {
    return this.storedRows > 0 && this.loaded.length === 0;
  }

  get isEmpty(): boolean {
    return this.storedRows === 0 && this.live.length === 0;
  }

  /** Whether nothing can be sent before a function has run. */
  get needsFunction(): boolean {
    const [first] = this.front;
    return first !== undefined && needsFunction(first);
  }

  addLive(delivery: Delivery): void {
    this.live.push(delivery);
    this.hasFunctions ||= delivery.pipeline.function !== null;
  }

  addLoaded(deliveries: readonly Delivery[]): void {
    this.loaded.push(...deliveries);
    this.hasFunctions ||= deliveries.some(({ pipeline }) => pipeline.function !== null);
  }

  /** Takes the first delivery when it may be sent. */
  takeNext(): Delivery | undefined {
    return this.needsFunction ? undefined : this.front.shift();
  }

  /** Takes all that is in memory and comes before what is in the store. */
  takeAll(): Delivery[] {
    return this.front.splice(0);
  }

  /** They come first again, in their order. */
  putBack(deliveries: readonly Delivery[]): void {
    const stored = deliveries.filter(({ ticket }) => ticket === null);
    const live = deliveries.filter(({ ticket }) => ticket !== null);
    if (stored.length > 0) this.loaded.unshift(...stored);
    if (live.length > 0) this.live.unshift(...live);
  }

  /** A row of the store has ended. */
  endRow(): void {
    this.storedRows -= 1;
    if (this.storedRows === 0) this.cursor = null;
  }
}
