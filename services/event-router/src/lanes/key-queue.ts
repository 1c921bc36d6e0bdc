import type { OwnedPartition } from '../progress/owned-partition';
import type { DeliveryKey } from '../store/changes';
import { type Delivery, keyOf, type LiveDelivery, type RowDelivery } from './delivery';
import type { LaneId } from '../store/lane-id';

/**
 * - idle: nothing waits
 * - ready: in the lane's list; can be sent, after loading its rows where necessary
 * - sending: some of its deliveries are in a request
 * - waiting: for its due time, after a failure
 * - toLoad: its rows will be loaded in its turn
 * - loading: its rows are being loaded
 * - transforming: the function of its first delivery runs
 */
export type KeyState =
  | 'idle'
  | 'ready'
  | 'sending'
  | 'waiting'
  | 'toLoad'
  | 'loading'
  | 'transforming';

/** What a lane has in memory of a partition. */
export interface Tally {
  readonly lane: LaneId;
  /** Number of live deliveries. */
  length: number;
  /** Bytes of the live deliveries. An event that several lanes hold is counted in full by each. */
  bytes: number;
  /** Bytes of the loaded rows. */
  rowBytes: number;
}

/**
 * The deliveries of one order key of one lane, in order: first those in the store, then the live ones. At most one
 * request carries deliveries of a key at a time.
 */
export class KeyQueue {
  state: KeyState = 'idle';
  /** The first rows, loaded into memory. */
  loaded: RowDelivery[] = [];
  live: LiveDelivery[] = [];
  /** Rows in the store that have not ended, those in `loaded` and in a request included. */
  storedRows = 0;
  /** The last row that was loaded; later ones are only in the store. `null`: none was loaded. */
  rowCursor: DeliveryKey | null = null;
  /** Sequence of the commit that writes its newest rows. */
  rowsFrom = 0;
  /** Sequence of the commit that writes the newest attempts of its rows. */
  triedFrom = 0;
  /** Monotonic milliseconds of its next attempt. */
  dueMs = 0;
  /** Monotonic milliseconds of the first failure since its last success; undefined: it has not failed. */
  troubleFromMs: number | undefined;
  /** Milliseconds since 1970 of the last retryable failure; 0: none. */
  lastFailureMs = 0;
  /** Most deliveries per request, while the router isolates the one that makes requests fail. */
  maxTake = Infinity;
  /** The lane has removed it. */
  isForgotten = false;

  constructor(
    readonly partition: OwnedPartition,
    readonly id: string,
    readonly tally: Tally,
  ) {}

  /** The deliveries that are sent next. */
  get front(): Delivery[] {
    return this.storedRows > 0 ? this.loaded : this.live;
  }

  get needsLoading(): boolean {
    return this.storedRows > 0 && this.loaded.length === 0;
  }

  get isEmpty(): boolean {
    return this.storedRows === 0 && this.live.length === 0;
  }

  /** Returns deliveries to the front, in their order. */
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

  /** Removes the loaded rows from memory and moves the cursor back, so that they are loaded again. */
  unload(): RowDelivery[] {
    const [first] = this.loaded;
    if (first === undefined) return [];
    this.rowCursor = first.before;
    return this.loaded.splice(0);
  }

  /** Called when a row has ended. */
  endRow(): void {
    this.storedRows -= 1;
    if (this.storedRows === 0) this.rowCursor = null;
  }
}
