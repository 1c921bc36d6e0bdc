import type { Outcome } from '@penstock/connectors';
import { AttemptTrail } from '../lanes/attempt-trail';
import { type Delivery, keyOf, replayOf } from '../lanes/delivery';
import type { KeyQueue } from '../lanes/key-queue';
import type { Lane } from '../lanes/lane';
import type { LaneContext } from '../lanes/lane-context';
import { type Ending, MAX_EXCERPT } from '../store/changes';
import type { Batch } from './batch';
import { type Kept, Retries } from './retries';
import { endingOf, isDenied, isThrottled, type Unavailable } from './outcome-ending';

/** Effects of an outcome on the lane as a whole. */
export interface LaneEffects {
  /** The destination answered 401 or 403. */
  readonly onDenied: (reason: string) => void;
  /** A request has succeeded while the lane was blocked. */
  readonly onRecovered: () => void;
  /** The circuit has opened. */
  readonly onOpened: () => void;
  /** The destination answered 429. */
  readonly onThrottled: () => void;
}

/** Settles the deliveries of a request: each one ends or returns to the front of its key. */
export class Settlement {
  private readonly retries: Retries;

  constructor(
    private readonly lane: Lane,
    private readonly context: LaneContext,
    private readonly maxAgeMs: () => number,
    private readonly effects: LaneEffects,
  ) {
    this.retries = new Retries(lane, context);
  }

  /**
   * @param outcomes of the deliveries, in the order of the parts; deliveries without one were not in the request.
   * @param isProbe the lane was blocked when the request began.
   */
  settle({ parts, isGroup }: Batch, outcomes: readonly Outcome[], isProbe: boolean): void {
    let index = 0;
    const kept = parts.map(({ key, deliveries }) => {
      const own = outcomes.slice(index, index + deliveries.length);
      index += deliveries.length;
      return this.settleKey(key, deliveries, own);
    });
    this.noteHealth(kept, outcomes, { isGroup, isProbe });
    this.retries.goOn(kept, parts.length > 1);
  }

  /** Parks a delivery of a deleted pipeline or destination, or one that is too old to be retried. */
  park(key: KeyQueue, delivery: Delivery, code: 'Deleted' | 'RetryBudgetSpent'): void {
    const { reason } = delivery;
    this.end(key, delivery, { state: 'Parked', step: 'Finalize', code, reason });
  }

  end(key: KeyQueue, delivery: Delivery, ending: Ending): void {
    this.lane.share.moved();
    this.context.endings.end(key, delivery, ending);
  }

  /**
   * Whether the delivery is too old, pauses of its lane excluded, and it or what it waited for has failed. In a job's lane
   * its age counts from the job's creation.
   */
  isSpent(key: KeyQueue, { held, attempts }: Delivery): boolean {
    const { health, identity } = this.lane;
    const fromMs = Math.max(held.read.receivedAtMs, identity.job?.createdMs ?? 0);
    const lifeMs = this.context.wall.nowMs() - fromMs;
    if (lifeMs < this.maxAgeMs()) return false;
    if (lifeMs - health.pausedMsSince(fromMs) < this.maxAgeMs()) return false;
    return attempts > 0 || key.lastFailureMs >= fromMs || health.hasFailedSince(fromMs);
  }

  private settleKey(
    key: KeyQueue,
    deliveries: readonly Delivery[],
    outcomes: readonly Outcome[],
  ): Kept {
    if (key.partition.isGone) {
      for (const delivery of deliveries) this.context.endings.letGo(key, delivery);
      return { key, deliveries: [], failure: undefined };
    }
    const kept: Delivery[] = [];
    let failure: Unavailable | undefined;
    deliveries.forEach((delivery, index) => {
      const outcome = outcomes[index];
      if (outcome === undefined) kept.push(delivery);
      else if (outcome.kind !== 'unavailable') this.succeed(key, delivery, outcome);
      else if (this.isKept(key, delivery, outcome)) {
        kept.push(delivery);
        failure ??= outcome;
      }
    });
    return { key, deliveries: kept, failure };
  }

  private succeed(key: KeyQueue, delivery: Delivery, outcome: Exclude<Outcome, Unavailable>): void {
    delivery.attempts += 1;
    delivery.status = outcome.status ?? 0;
    if (outcome.kind === 'rejected') this.noteAttempt(key, delivery, outcome);
    key.troubleFromMs = undefined;
    this.lane.flow.troubled.delete(key);
    this.end(key, delivery, endingOf(outcome));
  }

  /** Records a failed attempt. @returns false when it was the last one: the delivery has ended. */
  private isKept(key: KeyQueue, delivery: Delivery, outcome: Unavailable): boolean {
    delivery.reason = outcome.reason;
    delivery.status = outcome.status ?? 0;
    if (outcome.notSent === true) return true;
    delivery.attempts += 1;
    this.noteAttempt(key, delivery, outcome);
    if (isDenied(outcome)) return this.isDeniedOnce(key, delivery, outcome);
    key.lastFailureMs = this.context.wall.nowMs();
    if (!this.isSpent(key, delivery)) return true;
    this.park(key, delivery, 'RetryBudgetSpent');
    return false;
  }

  /** Records the attempt that was made last and has failed; those of replays are not among the attempts of the live delivery. */
  private noteAttempt(
    key: KeyQueue,
    delivery: Delivery,
    { reason, status = 0 }: Exclude<Outcome, { kind: 'delivered' }>,
  ): void {
    if (replayOf(delivery) !== null) return;
    delivery.trail ??= new AttemptTrail(key.partition);
    delivery.trail.add({
      ...keyOf(delivery),
      version: delivery.pipeline.state.version,
      attempt: delivery.attempts,
      atMs: this.context.wall.nowMs(),
      status,
      reason: reason.slice(0, MAX_EXCERPT),
    });
  }

  /**
   * Rejects a delivery that is answered 401 or 403 again although others have succeeded since: the event is at fault.
   */
  private isDeniedOnce(key: KeyQueue, delivery: Delivery, outcome: Unavailable): boolean {
    const { successes } = this.lane.health;
    if (delivery.deniedAfter === undefined || delivery.deniedAfter >= successes) {
      delivery.deniedAfter ??= successes;
      return true;
    }
    const code = String(outcome.status);
    this.end(key, delivery, { state: 'Rejected', step: 'Finalize', code, reason: outcome.reason });
    return false;
  }

  private noteHealth(
    kept: readonly Kept[],
    outcomes: readonly Outcome[],
    { isGroup, isProbe }: { readonly isGroup: boolean; readonly isProbe: boolean },
  ): void {
    const { health } = this.lane;
    const failures = outcomes.filter((each) => each.kind === 'unavailable');
    if (failures.some(({ isOutage }) => isOutage === true)) {
      if (health.failedAsWhole(isProbe)) this.effects.onOpened();
      return;
    }
    if (failures.every(({ notSent }) => notSent === true) && failures.length > 0) {
      if (failures.length === outcomes.length) return health.end(isProbe);
    }
    const denied = failures.find(isDenied);
    if (failures.length < outcomes.length) {
      if (health.succeeded()) this.effects.onRecovered();
    } else if (denied !== undefined) {
      if (health.denied(isProbe)) this.effects.onDenied(denied.reason);
    } else if (isGroup && !isProbe) health.end(isProbe);
    else if (
      health.failed(
        kept.map(({ key }) => key.id),
        isProbe,
      )
    )
      this.effects.onOpened();
    const throttled = failures.filter(isThrottled);
    if (throttled.length === 0) return;
    health.hold(Math.max(...throttled.map(({ retryAfterMs }) => retryAfterMs ?? 0)));
    this.effects.onThrottled();
  }
}
