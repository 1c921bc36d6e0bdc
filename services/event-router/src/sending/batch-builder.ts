import type { Delivery } from '../lanes/delivery';
import { SUPPRESSED } from '../lanes/endings';
import type { KeyQueue } from '../lanes/key-queue';
import type { Lane } from '../lanes/lane';
import type { Ending } from '../store/changes';
import type { Batch, Part } from './batch';
import type { PreparedEvent } from './destination';
import { CannotPrepare, prepare } from './prepare';
import type { Settlement } from './settlement';
import { RouterFault } from '../faults/router-fault';

/** Ending of an event on which our own code fails, so that it does not block the others. */
const INTERNAL_ERROR: Ending = {
  state: 'Rejected',
  step: 'Transformation',
  code: 'InternalError',
  reason: 'an internal error has occurred',
};

/** Wait of a key whose partition is handed over or whose lease does not hold. */
const SHORT_PAUSE_MS = 100;

/** Conditions under which a delivery is still sent. */
export interface Rules {
  /** Its pipeline or destination was deleted. */
  readonly isDeleted: (delivery: Delivery) => boolean;
  /** Its user is suppressed now. */
  readonly isSuppressed: (delivery: Delivery) => boolean;
  /** Whether the partition's lease holds. */
  readonly holds: (partition: number) => boolean;
  readonly nowMs: () => number;
  readonly onError: (error: unknown) => void;
}

/** Builds requests from the ready keys of a lane; ends deliveries that cannot be sent. */
export class BatchBuilder {
  constructor(
    private readonly lane: Lane,
    private readonly settlement: Settlement,
    private readonly rules: Rules,
  ) {}

  /** The next request, with at most `maxEvents` events; without events when nothing can be sent. */
  next(maxEvents: number): Batch {
    const group = this.lane.flow.groups.shift();
    if (group !== undefined) {
      const keys = group.keys.filter(waitsInGroup);
      const batch = this.fill(keys, maxEvents, true);
      for (const key of keys) if (waitsInGroup(key)) this.lane.flow.proceed(key);
      return batch;
    }
    if (this.lane.health.isBlocked) return this.fill([this.probe()], 1, false);
    return this.fill(this.readyKeys(), maxEvents, false);
  }

  private *readyKeys(): Iterable<KeyQueue> {
    const { flow } = this.lane;
    const { ready } = flow;
    let taken = 0;
    try {
      for (; taken < ready.length;) {
        const key = ready[taken];
        taken += 1;
        if (key !== undefined) yield key;
      }
    } finally {
      flow.ready = ready.slice(taken);
    }
  }

  /** The ready key with the fewest attempts, of those whose deliveries are at hand if there are any. */
  private probe(): KeyQueue | undefined {
    const { ready } = this.lane.flow;
    let best: KeyQueue | undefined;
    for (const key of ready) if (best === undefined || isSooner(key, best)) best = key;
    this.lane.flow.ready = ready.filter((key) => key !== best);
    return best;
  }

  private fill(keys: Iterable<KeyQueue | undefined>, maxEvents: number, isGroup: boolean): Batch {
    const parts: Part[] = [];
    const events: PreparedEvent[] = [];
    for (const key of keys) {
      if (key === undefined || key.isForgotten || key.partition.isGone) continue;
      const deliveries = this.takeFrom(key, maxEvents - events.length, events);
      if (deliveries.length > 0) parts.push({ key, deliveries });
      if (events.length >= maxEvents) break;
    }
    return { parts, events, isGroup };
  }

  private takeFrom(key: KeyQueue, room: number, events: PreparedEvent[]): Delivery[] {
    if (!key.partition.maySend || !this.rules.holds(key.partition.number)) {
      this.lane.flow.wait(key, this.rules.nowMs() + SHORT_PAUSE_MS);
      return [];
    }
    if (key.needsLoading) {
      this.lane.flow.load(key);
      return [];
    }
    key.state = 'sending';
    const deliveries = this.take(key, Math.min(room, key.maxTake), events);
    if (deliveries.length === 0) this.lane.flow.proceed(key);
    return deliveries;
  }

  private take(key: KeyQueue, room: number, events: PreparedEvent[]): Delivery[] {
    const taken: Delivery[] = [];
    const { front } = key;
    let passed = 0;
    while (taken.length < room) {
      const delivery = front[passed];
      if (delivery === undefined || !this.isAtHand(delivery)) break;
      passed += 1;
      if (this.make(key, delivery, events)) taken.push(delivery);
    }
    front.splice(0, passed);
    return taken;
  }

  /** Whether the delivery can be handled now. One of a deleted pipeline does not wait for its function. */
  private isAtHand(delivery: Delivery): boolean {
    return delivery.stage === 'made' || this.rules.isDeleted(delivery);
  }

  private make(key: KeyQueue, delivery: Delivery, events: PreparedEvent[]): boolean {
    if (this.rules.isDeleted(delivery)) this.settlement.park(key, delivery, 'Deleted');
    else if (this.rules.isSuppressed(delivery)) this.settlement.end(key, delivery, SUPPRESSED);
    else if (this.settlement.isSpent(key, delivery))
      this.settlement.park(key, delivery, 'RetryBudgetSpent');
    else return this.prepare(key, delivery, events);
    return false;
  }

  private prepare(key: KeyQueue, delivery: Delivery, events: PreparedEvent[]): boolean {
    try {
      events.push(prepare(delivery));
      return true;
    } catch (error) {
      if (!(error instanceof CannotPrepare))
        this.rules.onError(
          new RouterFault(
            'an event is rejected, since preparing it has failed by an error of Penstock itself',
            { partition: key.partition.number, offset: delivery.held.read.offset },
            error,
          ),
        );
      const ending = error instanceof CannotPrepare ? error.ending : INTERNAL_ERROR;
      this.settlement.end(key, delivery, ending);
      return false;
    }
  }
}

/** Whether the key still waits as a member of a group, which has no due time of its own. */
const waitsInGroup = ({ state, dueMs, isForgotten }: KeyQueue): boolean =>
  state === 'waiting' && dueMs === Infinity && !isForgotten;

const isSooner = (one: KeyQueue, other: KeyQueue): boolean =>
  one.needsLoading === other.needsLoading ? triesOf(one) < triesOf(other) : other.needsLoading;

const triesOf = ({ front, lastFailureMs }: KeyQueue): number => {
  const [first] = front;
  if (first === undefined) return lastFailureMs > 0 ? 1 : 0;
  return first.attempts;
};
