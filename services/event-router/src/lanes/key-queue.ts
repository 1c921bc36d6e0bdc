import type { ConnectionId } from '@penstock/contracts';
import type { OwnedPartition } from '../progress/owned-partition';
import type { DeliveryKey } from '../store/changes';
import { type Delivery, keyOf, type LiveDelivery, type RowDelivery } from './delivery';

/**
 * - idle: nothing waits
 * - ready: in the lane's list, may be sent, or loaded first
 * - sending: some of its deliveries are in a request
 * - waiting: until it is due after a failure
 * - loading: its rows are being read
 * - transforming: its first delivery is with its function
 */
export type KeyState = 'idle' | 'ready' | 'sending' | 'waiting' | 'loading' | 'transforming';

/** What a lane has in memory of a partition: deliveries of the log, rows aside. */
export interface Tally {
  readonly lane: ConnectionId;
  length: number;
  /** An event that several lanes hold counts in full in each. */
  bytes: number;
}

/**
 * The deliveries of one order key of one lane, in order: first those in the store, then the live ones. At most one
 * request carries deliveries of a key at a time.
 */
export class KeyQueue {
  state: KeyState = 'idle';
  /** The front part of the rows, read into memory. */
  loaded: RowDelivery[] = [];
  live: LiveDelivery[] = [];
  /** Rows in the store that have not ended, those in `loaded` and in a request included. */
  storedRows = 0;
  /** The last row that was read; those behind it are still only in the store. */
  rowCursor: DeliveryKey | null = null;
  /** Sequence of the commit that has its newest rows. */
  rowsFrom = 0;
  /** Monotonic milliseconds at which it is tried again. */
  dueMs = 0;
  /** Monotonic milliseconds of the first of the failures that have gone on until now; undefined: all is well. */
  troubleFromMs: number | undefined;
  /** Milliseconds since 1970 of the last retryable failure; 0: none. */
  lastFailureMs = 0;
  /** How many deliveries a request may carry while one of several is suspected to be what makes it fail. */
  maxTake = Infinity;
  /** It is not known to the lane any more. */
  isForgotten = false;

  constructor(
    readonly partition: OwnedPartition,
    readonly id: string,
    readonly tally: Tally,
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

  /** They come first again, in their order. */
  putBack(deliveries: readonly Delivery[]): void {
    const rows = deliveries.filter((each) => each.kind === 'row');
    const live = deliveries.filter((each) => each.kind === 'live');
    if (rows.length > 0) this.loaded.unshift(...rows);
    if (live.length > 0) this.live.unshift(...live);
  }

  addLoaded(rows: readonly RowDelivery[]): void {
    this.loaded.push(...rows);
    const last = rows.at(-1);
    if (last !== undefined) this.rowCursor = keyOf(last);
  }

  /** Takes the loaded rows out again; they will be read anew. */
  unload(): RowDelivery[] {
    const [first] = this.loaded;
    if (first === undefined) return [];
    this.rowCursor = first.before;
    return this.loaded.splice(0);
  }

  /** A row has ended. */
  endRow(): void {
    this.storedRows -= 1;
    if (this.storedRows === 0) this.rowCursor = null;
  }
}
