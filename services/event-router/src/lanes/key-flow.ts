import type { Delivery } from './delivery';
import { DueQueue } from './due-queue';
import type { KeyQueue } from './key-queue';
import type { LaneContext } from './lane-context';
import { RowLoads } from './row-loads';

/** Keys whose events failed in one request; they are retried together, in a request without other keys. */
export interface RetryGroup {
  readonly keys: readonly KeyQueue[];
}

/** Deliveries of one key that are passed to their functions before the first of them is sent. */
const MAX_AHEAD = 100;

/** What a lane does for its keys. */
interface FlowOfLane {
  /** Called with a key that has nothing left. */
  readonly onIdle: (key: KeyQueue) => void;
  /** Called when something can be sent, or with the monotonic time at which it can. */
  readonly onReady: (atMs?: number) => void;
  /** Bytes of the lane's rows in memory. */
  readonly rowBytes: () => number;
  /** Whether it only probes. */
  readonly isBlocked: () => boolean;
}

/** Tracks which keys of a lane can be sent and what the others wait for. */
export class KeyFlow {
  /** Keys that can be sent, in turn. */
  ready: KeyQueue[] = [];
  /** Groups that are due. */
  readonly groups: RetryGroup[] = [];
  /** Keys that have failed and have not succeeded since. */
  readonly troubled = new Set<KeyQueue>();
  private readonly loads: RowLoads;
  private readonly transforming = new Set<KeyQueue>();
  private readonly due = new DueQueue<KeyQueue | RetryGroup>();

  constructor(
    private readonly context: LaneContext,
    private readonly lane: FlowOfLane,
  ) {
    this.loads = new RowLoads({
      lane: context,
      rowBytes: lane.rowBytes,
      isBlocked: lane.isBlocked,
      proceed: (key) => {
        this.proceed(key);
      },
      wait: (key, atMs) => {
        this.wait(key, atMs);
      },
    });
  }

  /** Chooses the next state of a key that is neither in a request nor waiting. */
  proceed(key: KeyQueue): void {
    this.transforming.delete(key);
    if (key.partition.isGone || key.isForgotten) return;
    if (key.isEmpty) {
      key.state = 'idle';
      this.troubled.delete(key);
      this.lane.onIdle(key);
      this.loads.next();
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
    this.lane.onReady();
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
    this.lane.onReady(atMs);
  }

  waitTogether(keys: readonly KeyQueue[], atMs: number): void {
    for (const key of keys) {
      key.state = 'waiting';
      key.dueMs = Infinity;
    }
    this.due.add({ keys }, atMs);
    this.lane.onReady(atMs);
  }

  /** Whether rows are being loaded, or will be. */
  get isLoading(): boolean {
    return this.loads.isBusy;
  }

  /** Queues the key to have its next rows loaded. */
  load(key: KeyQueue): void {
    this.loads.add(key);
  }

  /** Lets keys proceed whose first delivery waits for a function of a deleted pipeline, or for room. Call it periodically. */
  lookAfter(): void {
    this.loads.lookAfter(this.troubled);
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
    this.loads.next();
    return this.due.firstDueMs;
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
