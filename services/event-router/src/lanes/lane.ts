import type { ConnectionId } from '@penstock/contracts';
import type { GuardedHttp, Outcome, OutgoingEvent, SendLimits } from '@penstock/connectors';
import type { Partition } from '../partitions/partition';
import type { RouterOptions } from '../router.options';
import type { WaitingKey } from '../store/router-store';
import { backoffMs } from './backoff';
import type { Delivery } from './delivery';
import type { Destination, Destinations } from './destination';
import { DueQueue } from './due-queue';
import { DELIVERED, end, spill } from './ending';
import { KeyQueue } from './key-queue';
import { CannotPrepare, prepare } from './prepare';
import type { StoredDeliveries } from './stored-deliveries';
import { TokenBucket } from './token-bucket';

/** What a lane needs of the router around it. */
export interface LaneContext {
  readonly options: RouterOptions;
  readonly destinations: Destinations;
  readonly http: GuardedHttp;
  readonly stored: StoredDeliveries;
  /** Whether the lease of the partition holds by the monotonic clock. */
  readonly holds: (partition: number) => boolean;
  readonly onError: (error: unknown) => void;
}

interface Batch {
  readonly parts: readonly { readonly key: KeyQueue; readonly deliveries: readonly Delivery[] }[];
  readonly events: readonly OutgoingEvent[];
}

/** How long a key waits when it cannot go on for a reason of our own: no lease, rows not committed yet. */
const SHORT_PAUSE_MS = 100;

/**
 * All deliveries to one destination connection: batches, sends, tries again, keeps the order of each key.
 * Nothing here waits for another lane.
 */
export class Lane {
  private readonly keys = new Map<string, KeyQueue>();
  /** Keys that wait after a failure or have rows in the store. */
  private readonly troubled = new Set<KeyQueue>();
  private readonly rows = new Map<Partition, number>();
  private readonly due = new DueQueue<KeyQueue>();
  private ready: KeyQueue[] = [];
  private readySinceMs = 0;
  private inFlight = 0;
  private pumping = false;
  private timer: NodeJS.Timeout | undefined;
  private timerAtMs = Infinity;
  private readonly stopped = new AbortController();
  private bucket: { readonly rate: number; readonly tokens: TokenBucket } | undefined;

  constructor(
    readonly connection: ConnectionId,
    private readonly context: LaneContext,
  ) {}

  /** Deliveries in memory. */
  get length(): number {
    let sum = 0;
    for (const key of this.keys.values()) sum += key.live.length + key.loaded.length;
    return sum;
  }

  add(delivery: Delivery): void {
    const key = this.key(delivery.partition, delivery.orderKey);
    key.live.push(delivery);
    if (key.state === 'idle') this.proceed(key);
  }

  /** Takes up the keys that an earlier owner of the partition left in the store. */
  restore(partition: Partition, { orderKey, rows, dueMs }: WaitingKey): void {
    const key = this.key(partition, orderKey);
    key.storedRows = rows;
    this.rows.set(partition, (this.rows.get(partition) ?? 0) + rows);
    this.troubled.add(key);
    this.wait(key, dueMs);
  }

  /** Forgets everything of the partition; requests in flight come to nothing. */
  drop(partition: Partition): void {
    for (const [name, key] of this.keys)
      if (key.partition === partition) {
        this.keys.delete(name);
        this.troubled.delete(key);
      }
    this.rows.delete(partition);
  }

  /** Moves what has waited too long behind a failure to the store, as far as the lane may have rows. */
  spillOverdue(nowMs: number): void {
    for (const key of this.troubled) {
      const [oldest] = key.live;
      if (oldest === undefined || key.state === 'sending') continue;
      if (nowMs - oldest.sinceMs >= this.context.options.spillAfterMs) this.spillKey(key, nowMs);
    }
  }

  /** Nothing is sent any more; requests in flight are given up. */
  stop(): void {
    this.ready = [];
    this.keys.clear();
    this.troubled.clear();
    this.stopped.abort();
    clearTimeout(this.timer);
    this.timerAtMs = -Infinity;
  }

  private spillKey(key: KeyQueue, nowMs: number): void {
    const used = this.rows.get(key.partition) ?? 0;
    const count = Math.min(key.live.length, this.context.options.maxRowsPerLane - used);
    for (const delivery of key.live.splice(0, count)) spill(delivery, nowMs);
    key.storedRows += count;
    this.rows.set(key.partition, used + count);
  }

  private key(partition: Partition, orderKey: string): KeyQueue {
    const known = this.keys.get(orderKey);
    if (known !== undefined && known.partition === partition) return known;
    const key = new KeyQueue(partition, orderKey);
    this.keys.set(orderKey, key);
    return key;
  }

  /** Decides what a key that is not sending or waiting does next. */
  private proceed(key: KeyQueue): void {
    if (key.partition.isLost) return;
    if (key.isEmpty) this.forget(key);
    else if (key.needsLoading) this.load(key);
    else {
      key.state = 'ready';
      if (this.ready.length === 0) this.readySinceMs = Date.now();
      this.ready.push(key);
      this.pumpSoon();
    }
  }

  private forget(key: KeyQueue): void {
    key.state = 'idle';
    this.troubled.delete(key);
    if (this.keys.get(key.orderKey) === key) this.keys.delete(key.orderKey);
  }

  private wait(key: KeyQueue, dueMs: number): void {
    key.state = 'waiting';
    this.due.add(key, dueMs);
    this.wakeAt(dueMs);
  }

  private load(key: KeyQueue): void {
    key.state = 'loading';
    this.context.stored.load(key, this.connection).then(
      (loaded) => {
        if (key.partition.isLost) return;
        key.loaded.push(...loaded);
        // Rows that this process has spilled are there only after the next commit.
        if (loaded.length === 0) this.wait(key, Date.now() + SHORT_PAUSE_MS);
        else this.proceed(key);
      },
      (error: unknown) => {
        this.context.onError(error);
        this.wait(key, Date.now() + 10 * SHORT_PAUSE_MS);
      },
    );
  }

  private pumpSoon(): void {
    if (this.pumping) return;
    this.pumping = true;
    setImmediate(() => {
      this.pumping = false;
      this.pump();
    });
  }

  private wakeAt(atMs: number): void {
    if (atMs >= this.timerAtMs) return;
    clearTimeout(this.timer);
    this.timerAtMs = atMs;
    this.timer = setTimeout(
      () => {
        this.timerAtMs = Infinity;
        this.pump();
      },
      Math.min(Math.max(0, atMs - Date.now()), 2 ** 31 - 1),
    );
  }

  /** Sends as much as the destination's limits allow. */
  private pump(): void {
    this.takeDue();
    if (this.ready.length === 0) return;
    const destination = this.destination();
    if (destination === 'unknown') return;
    if (destination === undefined) return this.endAll();
    const { limits } = destination;
    while (this.ready.length > 0 && this.inFlight < limits.concurrency) {
      const pauseMs = this.lingerMs(limits) || this.rateMs(limits);
      if (pauseMs > 0) return this.wakeAt(Date.now() + pauseMs);
      const batch = this.takeBatch(limits.maxEvents);
      if (batch.events.length > 0) void this.send(batch, destination);
    }
  }

  private takeDue(): void {
    const nowMs = Date.now();
    for (let key = this.due.take(nowMs); key !== undefined; key = this.due.take(nowMs))
      if (key.state === 'waiting') this.proceed(key);
    const { firstDueMs } = this.due;
    if (firstDueMs !== undefined) this.wakeAt(firstDueMs);
  }

  private destination(): (Destination & { readonly limits: SendLimits }) | undefined | 'unknown' {
    try {
      const found = this.context.destinations.find(this.connection);
      return found && { ...found, limits: found.connector.limits(found.settings) };
    } catch (error) {
      this.context.onError(error);
      this.wakeAt(Date.now() + 50 * SHORT_PAUSE_MS);
      return 'unknown';
    }
  }

  /** The destination was deleted: nothing can be delivered any more. */
  private endAll(): void {
    for (const key of this.ready.splice(0)) {
      for (const delivery of key.take(Infinity)) this.park(key, delivery, 'Deleted');
      this.proceed(key);
    }
  }

  private park(key: KeyQueue, delivery: Delivery, code: 'Deleted' | 'RetryBudgetSpent'): void {
    const { reason } = delivery;
    this.endOne(key, delivery, () => {
      end(delivery, { state: 'Parked', step: 'Finalize', code, reason }, Date.now());
    });
  }

  private endOne(key: KeyQueue, delivery: Delivery, ending: () => void): void {
    ending();
    if (delivery.ticket !== null) return;
    key.endRow();
    this.rows.set(key.partition, (this.rows.get(key.partition) ?? 1) - 1);
  }

  /** Milliseconds to wait for more events, 0 when the request is full or has waited. */
  private lingerMs({ maxEvents }: SendLimits): number {
    if (maxEvents === 1) return 0;
    let count = 0;
    for (const key of this.ready) {
      count += key.front.length;
      if (count >= maxEvents) return 0;
    }
    return Math.max(0, this.readySinceMs + this.context.options.lingerMs - Date.now());
  }

  private rateMs({ ratePerSecond }: SendLimits): number {
    if (ratePerSecond === undefined) return 0;
    if (this.bucket?.rate !== ratePerSecond)
      this.bucket = { rate: ratePerSecond, tokens: new TokenBucket(ratePerSecond) };
    return this.bucket.tokens.take();
  }

  private takeBatch(maxEvents: number): Batch {
    const parts: { key: KeyQueue; deliveries: Delivery[] }[] = [];
    const events: OutgoingEvent[] = [];
    let taken = 0;
    while (events.length < maxEvents && taken < this.ready.length) {
      const key = this.ready[taken];
      taken += 1;
      if (key === undefined || key.partition.isLost) continue;
      if (!key.partition.maySend || !this.context.holds(key.partition.number)) {
        this.wait(key, Date.now() + SHORT_PAUSE_MS);
        continue;
      }
      const deliveries = this.takePart(key, maxEvents - events.length, events);
      if (deliveries.length > 0) parts.push({ key, deliveries });
      else this.proceed(key);
    }
    this.ready.splice(0, taken);
    this.readySinceMs = Date.now();
    return { parts, events };
  }

  /** Deliveries of one key that go into the request; those that cannot be made end here. */
  private takePart(key: KeyQueue, room: number, events: OutgoingEvent[]): Delivery[] {
    key.state = 'sending';
    const part: Delivery[] = [];
    while (part.length < room) {
      const [delivery] = key.take(1);
      if (delivery === undefined) break;
      if (this.context.stored.isDeleted(delivery)) this.park(key, delivery, 'Deleted');
      else if (this.prepare(key, delivery, events)) part.push(delivery);
    }
    return part;
  }

  private prepare(key: KeyQueue, delivery: Delivery, events: OutgoingEvent[]): boolean {
    try {
      events.push(prepare(delivery));
      return true;
    } catch (error) {
      const { ending } = error instanceof CannotPrepare ? error : this.bug(error);
      this.endOne(key, delivery, () => {
        end(delivery, ending, Date.now());
      });
      return false;
    }
  }

  /** One event that our own code cannot handle must not hold the others. */
  private bug(error: unknown): CannotPrepare {
    this.context.onError(error);
    return new CannotPrepare({
      state: 'Rejected',
      step: 'Transformation',
      code: 'InternalError',
      reason: 'an internal error has occurred',
    });
  }

  private async send({ parts, events }: Batch, destination: Destination): Promise<void> {
    this.inFlight += 1;
    for (const { key } of parts) key.partition.enter();
    const outcomes = await this.attempt(events, destination);
    let index = 0;
    for (const { key, deliveries } of parts) {
      if (!key.partition.isLost)
        this.settle(key, deliveries, outcomes.slice(index, index + deliveries.length));
      index += deliveries.length;
      key.partition.leave();
    }
    this.inFlight -= 1;
    this.pumpSoon();
  }

  private async attempt(
    events: readonly OutgoingEvent[],
    { connector, settings }: Destination,
  ): Promise<readonly Outcome[]> {
    try {
      const { connection, context } = this;
      return await connector.send(events, settings, {
        connection,
        http: context.http,
        signal: this.stopped.signal,
      });
    } catch (error) {
      this.context.onError(error);
      return events.map(() => ({ kind: 'unavailable', reason: 'the connector failed' }));
    }
  }

  /** What an answer means for the deliveries of one key; those without an outcome were not in the request. */
  private settle(
    key: KeyQueue,
    deliveries: readonly Delivery[],
    outcomes: readonly Outcome[],
  ): void {
    const nowMs = Date.now();
    const kept: Delivery[] = [];
    let retryAfterMs = 0;
    deliveries.forEach((delivery, index) => {
      const outcome = outcomes[index];
      if (outcome === undefined) kept.push(delivery);
      else if (outcome.kind === 'delivered') this.endWith(key, delivery, outcome, nowMs);
      else if (outcome.kind === 'rejected') this.endWith(key, delivery, outcome, nowMs);
      else if (this.isTriedAgain(key, delivery, outcome, nowMs)) {
        kept.push(delivery);
        retryAfterMs = Math.max(retryAfterMs, outcome.retryAfterMs ?? 0);
      }
    });
    key.putBack(kept);
    if (kept.length > 0 && outcomes.some((outcome) => outcome.kind === 'unavailable'))
      this.postpone(key, kept, nowMs, retryAfterMs);
    else this.proceed(key);
  }

  private endWith(
    key: KeyQueue,
    delivery: Delivery,
    outcome: Exclude<Outcome, { kind: 'unavailable' }>,
    nowMs: number,
  ): void {
    this.endOne(key, delivery, () => {
      if (outcome.kind === 'delivered') end(delivery, DELIVERED, nowMs);
      else {
        const code = outcome.status === undefined ? 'Refused' : String(outcome.status);
        const { reason } = outcome;
        end(delivery, { state: 'Rejected', step: 'Finalize', code, reason }, nowMs);
      }
    });
  }

  /** Notes the failed attempt; false when it was the last one. */
  private isTriedAgain(
    key: KeyQueue,
    delivery: Delivery,
    { reason }: Outcome & { kind: 'unavailable' },
    nowMs: number,
  ): boolean {
    delivery.attempts += 1;
    delivery.reason = reason;
    if (delivery.firstAttemptMs === 0) delivery.firstAttemptMs = nowMs;
    if (nowMs - delivery.firstAttemptMs < this.context.options.retryBudgetMs) return true;
    this.park(key, delivery, 'RetryBudgetSpent');
    return false;
  }

  private postpone(
    key: KeyQueue,
    failed: readonly Delivery[],
    nowMs: number,
    retryAfterMs: number,
  ): void {
    const attempts = Math.max(...failed.map((each) => each.attempts));
    const dueMs = nowMs + Math.max(retryAfterMs, backoffMs(attempts, this.context.options));
    for (const delivery of failed)
      if (delivery.ticket === null && delivery.attempts > 0)
        key.partition.postpone({
          offset: delivery.offset,
          pipeline: delivery.pipeline.state.id,
          attempts: delivery.attempts,
          firstAttemptMs: delivery.firstAttemptMs,
          dueMs,
          reason: delivery.reason,
        });
    this.troubled.add(key);
    this.wait(key, dueMs);
  }
}
