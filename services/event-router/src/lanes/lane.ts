import type { ConnectionId } from '@penstock/contracts';
import type { GuardedHttp, Outcome, OutgoingEvent, SendLimits } from '@penstock/connectors';
import type { Partition } from '../partitions/partition';
import type { RouterOptions } from '../router.options';
import type { WaitingKey } from '../store/router-store';
import { Alarm } from './alarm';
import type { Delivery } from './delivery';
import type { Destination, Destinations } from './destination';
import { DueQueue } from './due-queue';
import { spill } from './ending';
import type { FunctionResults } from './function-results';
import type { Functions } from './functions';
import type { KeyQueue } from './key-queue';
import { LaneKeys } from './lane-keys';
import { Outgoing } from './outgoing';
import { Pace } from './pace';
import { Settlement } from './settlement';
import type { StoredDeliveries } from './stored-deliveries';
import { StoredRows } from './stored-rows';

/** What a lane needs of the router around it. */
export interface LaneContext {
  readonly options: RouterOptions;
  readonly destinations: Destinations;
  readonly http: GuardedHttp;
  readonly stored: StoredDeliveries;
  readonly functions: Functions;
  readonly results: FunctionResults;
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
  private readonly keys = new LaneKeys();
  private readonly rows = new StoredRows();
  private readonly due = new DueQueue<KeyQueue>();
  private readonly settlement: Settlement;
  private readonly outgoing: Outgoing;
  private readonly pace: Pace;
  private readonly alarm = new Alarm(() => {
    this.pump();
  });
  private readonly stopped = new AbortController();
  private ready: KeyQueue[] = [];
  private inFlight = 0;

  constructor(
    readonly connection: ConnectionId,
    private readonly context: LaneContext,
  ) {
    const { options, stored, results, onError } = context;
    this.settlement = new Settlement(this.rows, results, options);
    this.outgoing = new Outgoing(stored, this.settlement, onError);
    this.pace = new Pace(options.lingerMs);
  }

  /** Deliveries in memory. */
  get length(): number {
    return this.keys.length;
  }

  add(delivery: Delivery): void {
    const key = this.keys.of(delivery.partition, delivery.orderKey);
    key.addLive(delivery);
    if (key.state === 'idle' || key.state === 'transforming') this.proceed(key);
  }

  /** Takes up the keys that an earlier owner of the partition left in the store. */
  restore(partition: Partition, { orderKey, rows, dueMs }: WaitingKey): void {
    const key = this.keys.of(partition, orderKey);
    key.storedRows = rows;
    this.rows.add(partition, rows);
    this.keys.hold(key);
    this.wait(key, dueMs);
  }

  /** Forgets everything of the partition; requests in flight come to nothing. */
  drop(partition: Partition): void {
    this.keys.drop(partition);
    this.rows.forget(partition);
  }

  /**
   * Moves what has waited too long behind what holds its key up to the store, as far as the lane may have rows. What
   * waits for a function goes on if there is no longer a reason to.
   */
  spillOverdue(nowMs: number): void {
    for (const key of this.keys.heldUp) {
      const [oldest] = key.live;
      const isOverdue =
        oldest !== undefined && nowMs - oldest.sinceMs >= this.context.options.spillAfterMs;
      if (isOverdue && key.state !== 'sending') this.spillKey(key, nowMs);
      if (key.state === 'transforming') this.proceed(key);
    }
  }

  /** Nothing is sent any more; requests in flight are given up. */
  stop(): void {
    this.ready = [];
    this.keys.clear();
    this.stopped.abort();
    this.alarm.stop();
  }

  private spillKey(key: KeyQueue, nowMs: number): void {
    const room = this.context.options.maxRowsPerLane - this.rows.of(key.partition);
    const count = Math.max(0, Math.min(key.live.length, room));
    for (const delivery of key.live.splice(0, count)) spill(delivery, nowMs);
    key.storedRows += count;
    this.rows.add(key.partition, count);
  }

  /** Decides what a key that is not sending or waiting does next. */
  private proceed(key: KeyQueue): void {
    if (key.partition.isLost) return;
    if (key.isEmpty) {
      key.state = 'idle';
      this.keys.forget(key);
    } else if (key.needsLoading) this.load(key);
    else if (key.hasFunctions && this.isTransforming(key)) {
      key.state = 'transforming';
      this.keys.hold(key);
    } else {
      key.state = 'ready';
      if (this.ready.length === 0) this.pace.begin();
      this.ready.push(key);
      this.alarm.soon();
    }
  }

  /** Whether the key waits for its function; what comes next in the key is transformed meanwhile. */
  private isTransforming(key: KeyQueue): boolean {
    this.context.functions.transformAhead(key, () => {
      if (key.state === 'transforming') this.proceed(key);
    });
    return key.needsFunction;
  }

  private wait(key: KeyQueue, dueMs: number): void {
    key.state = 'waiting';
    this.due.add(key, dueMs);
    this.alarm.at(dueMs);
  }

  private load(key: KeyQueue): void {
    key.state = 'loading';
    this.context.stored.load(key, this.connection).then(
      (loaded) => {
        if (key.partition.isLost) return;
        key.addLoaded(loaded);
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

  /** Sends as much as the destination's limits allow. */
  private pump(): void {
    this.takeDue();
    if (this.ready.length === 0) return;
    const destination = this.destination();
    if (destination === 'unknown') return;
    if (destination === undefined) return this.endAll();
    const { limits } = destination;
    while (this.ready.length > 0 && this.inFlight < limits.concurrency) {
      const pauseMs = this.pace.pauseMs(this.ready, limits);
      if (pauseMs > 0) return this.alarm.at(Date.now() + pauseMs);
      const batch = this.takeBatch(limits.maxEvents);
      if (batch.events.length > 0) void this.send(batch, destination);
    }
  }

  private takeDue(): void {
    const nowMs = Date.now();
    for (let key = this.due.take(nowMs); key !== undefined; key = this.due.take(nowMs))
      if (key.state === 'waiting') this.proceed(key);
    const { firstDueMs } = this.due;
    if (firstDueMs !== undefined) this.alarm.at(firstDueMs);
  }

  private destination(): (Destination & { readonly limits: SendLimits }) | undefined | 'unknown' {
    try {
      const found = this.context.destinations.find(this.connection);
      return found && { ...found, limits: found.connector.limits(found.settings) };
    } catch (error) {
      this.context.onError(error);
      this.alarm.at(Date.now() + 50 * SHORT_PAUSE_MS);
      return 'unknown';
    }
  }

  /** The destination was deleted: nothing can be delivered any more. */
  private endAll(): void {
    for (const key of this.ready.splice(0)) {
      for (const delivery of key.takeAll()) this.settlement.park(key, delivery, 'Deleted');
      this.proceed(key);
    }
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
      key.state = 'sending';
      const deliveries = this.outgoing.take(key, maxEvents - events.length, events);
      if (deliveries.length > 0) parts.push({ key, deliveries });
      else this.proceed(key);
    }
    this.ready.splice(0, taken);
    this.pace.begin();
    return { parts, events };
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
    this.alarm.soon();
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

  private settle(
    key: KeyQueue,
    deliveries: readonly Delivery[],
    outcomes: readonly Outcome[],
  ): void {
    const dueMs = this.settlement.settle(key, deliveries, outcomes);
    if (dueMs === undefined) return this.proceed(key);
    this.keys.hold(key);
    this.wait(key, dueMs);
  }
}
