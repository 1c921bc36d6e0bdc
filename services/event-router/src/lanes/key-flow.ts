import type { Delivery } from './delivery';
import { DueQueue } from './due-queue';
import type { KeyQueue } from './key-queue';
import type { LaneContext } from './lane-context';
import { RouterFault } from '../faults/router-fault';

/** Keys whose events failed in one request; they are retried together, in a request without other keys. */
export interface RetryGroup {
  readonly keys: readonly KeyQueue[];
}

/** Deliveries of one key that are passed to their functions before the first of them is sent. */
const MAX_AHEAD = 100;
/** Keys whose rows a lane loads at once: thousands of keys that are due together must not block the store. */
const LOADS_AT_ONCE = 2;
const LOAD_RETRY_MS = 1_000;
/** Pause before rows are loaded again that the next commit will write. */
const UNCOMMITTED_PAUSE_MS = 50;

/** Tracks which keys of a lane can be sent and what the others wait for. */
export class KeyFlow {
  /** Keys that can be sent, in turn. */
  ready: KeyQueue[] = [];
  /** Groups that are due. */
  readonly groups: RetryGroup[] = [];
  /** Keys that have failed and have not succeeded since. */
  readonly troubled = new Set<KeyQueue>();
  /** Keys whose rows are to be loaded, in turn. */
  private readonly toLoad: KeyQueue[] = [];
  private loading = 0;
  private readonly transforming = new Set<KeyQueue>();
  private readonly due = new DueQueue<KeyQueue | RetryGroup>();

  /**
   * @param onIdle called with a key that has nothing left.
   * @param onReady called when something can be sent, or with the monotonic time at which it can.
   */
  constructor(
    private readonly context: LaneContext,
    private readonly onIdle: (key: KeyQueue) => void,
    private readonly onReady: (atMs?: number) => void,
  ) {}

  /** Chooses the next state of a key that is neither in a request nor waiting. */
  proceed(key: KeyQueue): void {
    this.transforming.delete(key);
    if (key.partition.isGone || key.isForgotten) return;
    if (key.isEmpty) {
      key.state = 'idle';
      this.troubled.delete(key);
      this.onIdle(key);
      return;
    }
    const [first] = key.front;
    if (first !== undefined && first.stage !== 'made' && !this.context.isDeleted(first)) {
      key.state = 'transforming';
      this.transforming.add(key);
      this.transformAhead(key);
      return;
    }
    key.state = 'ready';
    this.ready.push(key);
    this.onReady();
  }

  /** Called when a delivery was added at the end of the key. */
  added(key: KeyQueue, delivery: Delivery): void {
    if (delivery.stage === 'raw' && key.front.length <= MAX_AHEAD) this.transform(key, delivery);
    if (key.state === 'idle') this.proceed(key);
  }

  /** @param atMs of the monotonic clock. */
  wait(key: KeyQueue, atMs: number): void {
    key.state = 'waiting';
    key.dueMs = atMs;
    this.due.add(key, atMs);
    this.onReady(atMs);
  }

  waitTogether(keys: readonly KeyQueue[], atMs: number): void {
    for (const key of keys) {
      key.state = 'waiting';
      key.dueMs = Infinity;
    }
    this.due.add({ keys }, atMs);
    this.onReady(atMs);
  }

  /** Queues the key to have its next rows loaded; see `LOADS_AT_ONCE`. */
  load(key: KeyQueue): void {
    key.state = 'loading';
    this.toLoad.push(key);
    this.loadNext();
  }

  /** Lets keys proceed whose first delivery waits for a function of a deleted pipeline. */
  lookAtTransforming(): void {
    for (const key of this.transforming) {
      const [first] = key.front;
      if (key.state !== 'transforming' || key.isForgotten) this.transforming.delete(key);
      else if (first !== undefined && this.context.isDeleted(first)) this.proceed(key);
    }
  }

  /** Proceeds with the keys and groups that are due. @returns the next due time of the monotonic clock. */
  takeDue(nowMs: number): number | undefined {
    for (let item = this.due.take(nowMs); item !== undefined; item = this.due.take(nowMs))
      if ('keys' in item) this.groups.push(item);
      else if (item.state === 'waiting' && item.dueMs <= nowMs) this.proceed(item);
    return this.due.firstDueMs;
  }

  private loadNext(): void {
    while (this.loading < LOADS_AT_ONCE) {
      const key = this.toLoad.shift();
      if (key === undefined) return;
      if (key.partition.isGone || key.isForgotten) continue;
      this.loading += 1;
      void this.loadRows(key).then(() => {
        this.loading -= 1;
        this.loadNext();
      });
    }
  }

  private async loadRows(key: KeyQueue): Promise<void> {
    const { sequenceCommitted } = key.partition;
    try {
      const rows = await this.context.loadRows(key);
      if (key.partition.isGone || key.isForgotten) return;
      for (const row of rows) this.context.endings.takeHold(key, row);
      key.addLoaded(rows);
      if (rows.length === 0) this.loadedNothing(key, sequenceCommitted);
      else this.proceed(key);
    } catch (error) {
      this.context.onError(
        new RouterFault(
          'deliveries that wait cannot be loaded from PostgreSQL, or for a replay from the log; trying again',
          { partition: key.partition.number },
          error,
        ),
      );
      this.wait(key, this.context.clock.nowMs() + LOAD_RETRY_MS);
    }
  }

  /** @param committed sequence of the newest commit that was durable before the rows were loaded. */
  private loadedNothing(key: KeyQueue, committed: number): void {
    const { clock } = this.context;
    if (committed < key.rowsFrom) return this.wait(key, clock.nowMs() + UNCOMMITTED_PAUSE_MS);
    key.storedRows = 0;
    key.rowCursor = null;
    this.proceed(key);
  }

  private transformAhead(key: KeyQueue): void {
    for (const delivery of key.front.slice(0, MAX_AHEAD))
      if (delivery.stage === 'raw') this.transform(key, delivery);
  }

  private transform(key: KeyQueue, delivery: Delivery): void {
    delivery.stage = 'queued';
    this.context.transform(delivery, () => {
      if (key.state === 'transforming' && key.front[0] === delivery) this.proceed(key);
    });
  }
}
