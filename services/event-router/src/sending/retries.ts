import { backoffMs } from '../lanes/backoff';
import { type Delivery, keyOf, replayOf } from '../lanes/delivery';
import type { KeyQueue } from '../lanes/key-queue';
import type { Lane } from '../lanes/lane';
import type { LaneContext } from '../lanes/lane-context';
import { unloadRows } from '../lanes/unload-rows';
import { isThrottled, type Unavailable } from './outcome-ending';

/** The deliveries of one key of a request that have not ended. */
export interface Kept {
  readonly key: KeyQueue;
  /** In order. */
  readonly deliveries: readonly Delivery[];
  /** Why the first of them failed; undefined: none has failed. */
  readonly failure: Unavailable | undefined;
}

/** Most deliveries that a blocked lane keeps in memory. */
const MAX_BLOCKED_LENGTH = 100;

/** Schedules what remains of the keys of a request. */
export class Retries {
  constructor(
    private readonly lane: Lane,
    private readonly context: LaneContext,
  ) {}

  /** Schedules the next attempt of each key; several keys that have failed in one request are retried in halves. */
  goOn(kept: readonly Kept[], wasShared: boolean): void {
    const failed: KeyQueue[] = [];
    for (const { key, deliveries, failure } of kept) {
      if (key.partition.isGone) continue;
      key.putBack(deliveries);
      if (failure === undefined) this.succeeded(key);
      else {
        this.noteTried(key, deliveries, failure);
        failed.push(key);
      }
    }
    if (failed.length === 0) return;
    if (this.lane.health.isBlocked) this.waitBlocked(failed);
    else if (wasShared && failed.length > 1) this.halve(failed);
    else for (const key of failed) this.lane.flow.wait(key, key.dueMs);
  }

  /**
   * Keeps the keys ready for probes, without their rows: the next probe is another key's. Detaches the lane when it has more
   * deliveries than a blocked lane may keep.
   */
  private waitBlocked(keys: readonly KeyQueue[]): void {
    for (const key of keys) {
      unloadRows(key, this.context.endings);
      this.lane.flow.proceed(key);
    }
    if (this.lane.length > MAX_BLOCKED_LENGTH) this.lane.detachAll();
  }

  private succeeded(key: KeyQueue): void {
    key.maxTake = Infinity;
    this.lane.flow.proceed(key);
  }

  private halve(keys: readonly KeyQueue[]): void {
    const middle = Math.ceil(keys.length / 2);
    for (const half of [keys.slice(0, middle), keys.slice(middle)]) {
      const [key] = half;
      if (key === undefined) continue;
      if (half.length === 1) this.lane.flow.wait(key, key.dueMs);
      else this.lane.flow.waitTogether(half, Math.max(...half.map(({ dueMs }) => dueMs)));
    }
  }

  /** Records the failed attempt and the next one's time, in memory and for the next owner of the partition. */
  private noteTried(key: KeyQueue, deliveries: readonly Delivery[], failure: Unavailable): void {
    const { clock, wall, options } = this.context;
    const attempts = Math.max(1, ...deliveries.map((each) => each.attempts));
    const requestedMs = isThrottled(failure) ? 0 : (failure.retryAfterMs ?? 0);
    const pauseMs = Math.max(
      requestedMs,
      failure.notSent === true ? 1 : backoffMs(attempts, options),
    );
    key.dueMs = clock.nowMs() + pauseMs;
    key.troubleFromMs ??= clock.nowMs();
    this.lane.flow.troubled.add(key);
    if (deliveries.length > 1) key.maxTake = Math.ceil(deliveries.length / 2);
    const dueMs = wall.nowMs() + pauseMs;
    for (const delivery of deliveries) this.noteDelivery(key, delivery, dueMs);
  }

  private noteDelivery(key: KeyQueue, delivery: Delivery, dueMs: number): void {
    if (delivery.attempts === 0) return;
    const { attempts, reason } = delivery;
    delivery.trail?.dueAt(dueMs);
    const replay = replayOf(delivery);
    if (replay !== null) replay.book.tried(delivery.held.read.offset, attempts, dueMs);
    else if (delivery.kind === 'row') {
      key.triedFrom = key.partition.sequenceToCome;
      key.partition.gather(({ postponed, redriveTried }) => {
        const tried = { ...keyOf(delivery), attempts, dueMs, reason };
        if (delivery.redrive === null) postponed.push(tried);
        else redriveTried.push({ ...tried, job: delivery.redrive.job });
      });
    } else {
      delivery.entry.attempts = attempts;
      delivery.entry.dueMs = dueMs;
      key.partition.open.tried(delivery.entry);
      key.partition.gather(() => undefined);
    }
    this.relieve(delivery);
  }

  /** Drops the result of a function when memory is tight; the function runs again at the next attempt. */
  private relieve(delivery: Delivery): void {
    if (!this.context.budget.isTight || delivery.pipeline.function === null) return;
    delivery.values = undefined;
    delivery.stage = 'raw';
    this.context.endings.keepValues(delivery, 0);
  }
}
