import { RouterFault } from '../faults/router-fault';
import type { RowDelivery } from './delivery';
import type { KeyQueue } from './key-queue';
import type { LaneContext } from './lane-context';
import { isShortOfRoom, pageFor, type PageLimits } from './row-room';
import { unloadRows } from './unload-rows';

/** Keys whose rows a lane loads at once: thousands of keys that are due together must not block the store. */
const LOADS_AT_ONCE = 2;
const RETRY_MS = 1_000;
/** Pause before rows are loaded again that the next commit will write. */
const UNCOMMITTED_PAUSE_MS = 50;

interface RowLoadsContext {
  readonly lane: LaneContext;
  /** Bytes of the lane's rows in memory. */
  readonly rowBytes: () => number;
  /** Whether it only probes. */
  readonly isBlocked: () => boolean;
  /** Called with a key whose rows are loaded, or that has none any more. */
  readonly proceed: (key: KeyQueue) => void;
  /** Called with a key that is to be loaded again at a time of the monotonic clock. */
  readonly wait: (key: KeyQueue, atMs: number) => void;
}

/** Loads the rows of the keys of a lane, in turn, as far as there is memory for them. */
export class RowLoads {
  private readonly keys: KeyQueue[] = [];
  private underWay = 0;
  /** Bytes of the budget that pages being loaded have taken. */
  private reservedBytes = 0;

  constructor(private readonly context: RowLoadsContext) {}

  /** Queues the key to have its next rows loaded. */
  add(key: KeyQueue): void {
    key.state = 'toLoad';
    this.keys.push(key);
    this.next();
  }

  /** Begins to load what may be loaded now. */
  next(): void {
    while (this.underWay < LOADS_AT_ONCE) {
      const key = this.first();
      const limits = key && this.page();
      if (key === undefined || limits === undefined) return;
      this.keys.shift();
      void this.load(key, limits);
    }
  }

  /** Whether rows are being loaded, or will be. */
  get isBusy(): boolean {
    return this.underWay > 0 || this.keys.length > 0;
  }

  /**
   * As {@link next}; where there is little room, the rows of keys that wait for their next attempt are removed from memory
   * first, so that keys that fail for long do not hold others up, of this lane or another. Call it periodically.
   *
   * @param failing keys of the lane.
   */
  lookAfter(failing: Iterable<KeyQueue>): void {
    const { budget, endings } = this.context.lane;
    if (isShortOfRoom(budget))
      for (const key of failing) if (waitsAlone(key)) unloadRows(key, endings);
    this.next();
  }

  private page(): PageLimits | undefined {
    const { lane, rowBytes, isBlocked } = this.context;
    return pageFor(lane.budget, {
      bytes: rowBytes() + this.reservedBytes,
      isBlocked: isBlocked(),
    });
  }

  /** The next key to be loaded, once those that cannot be are out of the way. */
  private first(): KeyQueue | undefined {
    for (let key = this.keys[0]; key !== undefined; key = this.keys[0]) {
      const { isForgotten, partition } = key;
      const isGone = isForgotten || partition.isGone;
      if (!isGone && partition.sequenceCommitted >= key.triedFrom) return key;
      this.keys.shift();
      if (!isGone) this.waitForCommit(key);
    }
    return undefined;
  }

  private async load(key: KeyQueue, limits: PageLimits): Promise<void> {
    const { lane, proceed } = this.context;
    key.state = 'loading';
    const { sequenceCommitted } = key.partition;
    this.reserve(limits.maxBytes);
    const rows = await this.rowsOf(key, limits);
    this.reserve(-limits.maxBytes);
    if (rows === undefined) this.context.wait(key, lane.clock.nowMs() + RETRY_MS);
    else if (!key.partition.isGone && !key.isForgotten) {
      for (const row of rows) lane.endings.takeHold(key, row);
      key.addLoaded(rows);
      if (rows.length === 0) this.foundNothing(key, sequenceCommitted);
      else proceed(key);
    }
    this.next();
  }

  /** Undefined: they cannot be had now. */
  private async rowsOf(key: KeyQueue, limits: PageLimits): Promise<RowDelivery[] | undefined> {
    const { loadRows, onError } = this.context.lane;
    try {
      return await loadRows(key, limits);
    } catch (error) {
      onError(
        new RouterFault(
          'deliveries that wait cannot be loaded from PostgreSQL, or for a replay from the log; trying again',
          { partition: key.partition.number },
          error,
        ),
      );
      return undefined;
    }
  }

  /** @param bytes of a page that is being loaded; negative: it is not any more. */
  private reserve(bytes: number): void {
    this.underWay += Math.sign(bytes);
    this.reservedBytes += bytes;
    this.context.lane.budget.take('rows', bytes);
  }

  /** @param committed sequence of the newest commit that was durable before the rows were loaded. */
  private foundNothing(key: KeyQueue, committed: number): void {
    if (committed < key.rowsFrom) return this.waitForCommit(key);
    key.storedRows = 0;
    key.rowCursor = null;
    this.context.proceed(key);
  }

  private waitForCommit(key: KeyQueue): void {
    this.context.wait(key, this.context.lane.clock.nowMs() + UNCOMMITTED_PAUSE_MS);
  }
}

/** Whether the key waits for a time of its own: those that wait together have none. */
const waitsAlone = ({ state, dueMs }: KeyQueue): boolean => state === 'waiting' && dueMs < Infinity;
