import type { Delivery } from './delivery';
import { DueQueue } from './due-queue';
import type { KeyQueue } from './key-queue';
import type { LaneContext } from './lane-context';

/** Keys whose events failed in one request and are tried again together, apart from all others. */
export interface RetryGroup {
  readonly keys: readonly KeyQueue[];
}

/** Deliveries of one key that are with their functions before the first of them is sent. */
const MAX_AHEAD = 100;
/** Keys whose rows a lane reads at once: thousands that are due together would keep everybody else from the store. */
const LOADS_AT_ONCE = 2;
const LOAD_RETRY_MS = 1_000;
/** Rows that were spilled are there only after the next commit. */
const UNCOMMITTED_PAUSE_MS = 50;

/** Which keys of a lane may go on, and what the others wait for. */
export class KeyFlow {
  /** Keys that may be sent, in turn. */
  ready: KeyQueue[] = [];
  /** Groups whose time has come. */
  readonly groups: RetryGroup[] = [];
  /** Keys that have failed and not succeeded since. */
  readonly troubled = new Set<KeyQueue>();
  /** Keys whose rows are to be read, in turn. */
  private readonly toLoad: KeyQueue[] = [];
  private loading = 0;
  private readonly transforming = new Set<KeyQueue>();
  private readonly due = new DueQueue<KeyQueue | RetryGroup>();

  /**
   * @param onIdle told of a key that has nothing left.
   * @param onReady something can be sent, or will be at a moment of the monotonic clock.
   */
  constructor(
    private readonly context: LaneContext,
    private readonly onIdle: (key: KeyQueue) => void,
    private readonly onReady: (atMs?: number) => void,
  ) {}

  /** Decides what a key that is neither in a request nor waiting does next. */
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

  /** A delivery has come to the end of the key. */
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

  /** Reads the key's next rows when its turn has come: a lane asks for few keys at once. */
  load(key: KeyQueue): void {
    key.state = 'loading';
    this.toLoad.push(key);
    this.loadNext();
  }

  /** What can no longer be made does not wait for its function. */
  lookAtTransforming(): void {
    for (const key of this.transforming) {
      const [first] = key.front;
      if (key.state !== 'transforming' || key.isForgotten) this.transforming.delete(key);
      else if (first !== undefined && this.context.isDeleted(first)) this.proceed(key);
    }
  }

  /** Takes up what is due. @returns when something will be, of the monotonic clock. */
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
      this.context.onError(error);
      this.wait(key, this.context.clock.nowMs() + LOAD_RETRY_MS);
    }
  }

  /** @param committed sequence of the newest commit of which the rows could be there. */
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
