import { backoffMs } from '../lanes/backoff';
import { type Delivery, keyOf } from '../lanes/delivery';
import type { KeyQueue } from '../lanes/key-queue';
import type { Lane } from '../lanes/lane';
import type { LaneContext } from '../lanes/lane-context';
import { isThrottled, type Unavailable } from './outcome-ending';

/** What one key of a request is left with. */
export interface Kept {
  readonly key: KeyQueue;
  /** In order; they have not ended. */
  readonly deliveries: readonly Delivery[];
  /** Why the first of them did not succeed; undefined: nothing has failed. */
  readonly failure: Unavailable | undefined;
}

/** Deliveries that a blocked lane keeps in memory at most. */
const MAX_BLOCKED_LENGTH = 100;

/** When the keys of a request go on, and with what. */
export class Retries {
  constructor(
    private readonly lane: Lane,
    private readonly context: LaneContext,
  ) {}

  /** Says when each key is tried again; several that have failed together are tried in halves. */
  goOn(kept: readonly Kept[], wasShared: boolean): void {
    const failed: KeyQueue[] = [];
    for (const { key, deliveries, failure } of kept) {
      if (key.partition.isGone) continue;
      key.putBack(deliveries);
      if (failure === undefined) this.hasGoneThrough(key);
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

  /** The lane as a whole waits: its heads are at hand for probes, as far as they are few. */
  private waitBlocked(keys: readonly KeyQueue[]): void {
    for (const key of keys) this.lane.flow.proceed(key);
    if (this.lane.length > MAX_BLOCKED_LENGTH) this.lane.detachAll();
  }

  private hasGoneThrough(key: KeyQueue): void {
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

  /** How often the deliveries were tried and when they are again, in memory and for a successor. */
  private noteTried(key: KeyQueue, deliveries: readonly Delivery[], failure: Unavailable): void {
    const { clock, wall, options } = this.context;
    const attempts = Math.max(1, ...deliveries.map((each) => each.attempts));
    const asked = isThrottled(failure) ? 0 : (failure.retryAfterMs ?? 0);
    const pauseMs = Math.max(asked, failure.notSent === true ? 1 : backoffMs(attempts, options));
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
    if (delivery.kind === 'row')
      key.partition.gather(({ postponed }) => {
        postponed.push({ ...keyOf(delivery), attempts, dueMs, reason });
      });
    else {
      delivery.entry.attempts = attempts;
      delivery.entry.dueMs = dueMs;
      key.partition.open.tried(delivery.entry);
      key.partition.gather(() => undefined);
    }
    this.relieve(delivery);
  }

  /** Makes room where it is short: the function runs once more when the delivery is due. */
  private relieve(delivery: Delivery): void {
    if (!this.context.budget.isTight || delivery.pipeline.function === null) return;
    delivery.values = undefined;
    delivery.stage = 'raw';
    this.context.endings.keepValues(delivery, 0);
  }
}
