import type { Outcome } from '@penstock/connectors';
import type { Lane } from '../lanes/lane';
import type { LaneContext } from '../lanes/lane-context';
import type { LaneId } from '../store/lane-id';
import { Alarm } from './alarm';
import type { Batch } from './batch';
import { BatchBuilder, type Rules } from './batch-builder';
import type { Destination, Destinations } from './destination';
import { JOBS_PART, takeTokensOfJobs } from './job-rate';
import { Linger } from './linger';
import type { SendBatch } from './send-batch';
import { type LaneEffects, Settlement } from './settlement';
import { SharedRate, type SharedRateContext } from './shared-rate';
import { Throttle } from './throttle';
import { RouterFault } from '../faults/router-fault';

/** Records the beginning and end of a lane's pauses for all processes. */
interface PauseBook {
  readonly pause: (lane: LaneId, version: number, reason: string) => void;
  readonly resume: (lane: LaneId) => void;
}

export interface DispatcherContext {
  readonly lane: LaneContext;
  readonly destinations: Destinations;
  readonly rules: Omit<Rules, 'nowMs' | 'onError'>;
  readonly takeTokens: SharedRateContext['takeTokens'];
  readonly pauses: PauseBook;
  readonly send: SendBatch;
}

/** Pause after which a destination whose settings cannot be decrypted is tried again. */
const UNKNOWN_PAUSE_MS = 5_000;
const DELETED: Destination = {
  version: 0,
  connector: 'deleted',
  limits: { maxEvents: 1_000, concurrency: 1 },
  ordering: 'key',
  maxAgeMs: undefined,
  send: (events) => Promise.resolve(events.map(() => ({ kind: 'unavailable', reason: 'deleted' }))),
};
/** Outcome of requests that were aborted because their partition is handed over or lost. */
const GIVEN_UP: Outcome = { kind: 'unavailable', reason: 'request was given up', notSent: true };

/** Sends the ready deliveries of a lane, as fast as its destination allows. */
export class Dispatcher {
  private readonly settlement: Settlement;
  private readonly builder: BatchBuilder;
  private readonly throttle: Throttle;
  private readonly rate: SharedRate;
  private readonly linger: Linger;
  private readonly alarm: Alarm;
  private maxAgeMs: number;
  private version = 0;
  private startsAnew = false;

  constructor(
    readonly lane: Lane,
    private readonly context: DispatcherContext,
  ) {
    const { clock, onError, options } = context.lane;
    this.alarm = new Alarm(clock, () => {
      this.pump();
    });
    this.maxAgeMs = options.maxAgeMs;
    this.settlement = new Settlement(lane, context.lane, () => this.maxAgeMs, this.effects());
    const rules = { ...context.rules, nowMs: () => clock.nowMs(), onError };
    this.builder = new BatchBuilder(lane, this.settlement, rules);
    this.throttle = new Throttle(clock);
    this.linger = new Linger(clock, options.lingerMs);
    const { destination, job } = lane.identity;
    const { takeTokens } = context;
    this.rate = new SharedRate(destination, {
      clock,
      takeTokens: job === null ? takeTokens : takeTokensOfJobs(takeTokens, destination),
      onTokens: () => {
        this.alarm.soon();
      },
      onError,
    });
    lane.onReady = (atMs) => {
      if (atMs === undefined) this.alarm.soon();
      else this.alarm.at(atMs);
    };
    this.destination();
  }

  /** Number of requests under way. */
  get requests(): number {
    return this.lane.share.requests;
  }

  /** Sends at once what waits for another state of the destination. Call it periodically. */
  lookAfter(): void {
    if (!this.startsAnew || this.lane.health.state !== 'circuit') return;
    const { version } = this;
    this.destination();
    if (this.version !== version) {
      this.alarm.soon();
      this.context.lane.onRoom();
    }
  }

  /** Begins no further requests. */
  stop(): void {
    this.alarm.stop();
  }

  /** Begins as many requests as are allowed now, and sets the alarm for when more may be. */
  pump(): void {
    const { flow, isClosed } = this.lane;
    if (isClosed) return;
    const { clock } = this.context.lane;
    const dueMs = flow.takeDue(clock.nowMs());
    if (dueMs !== undefined) this.alarm.at(dueMs);
    if (flow.ready.length === 0 && flow.groups.length === 0) return;
    const destination = this.destination();
    if (destination === undefined) return this.alarm.at(clock.nowMs() + UNKNOWN_PAUSE_MS);
    while (flow.ready.length > 0 || flow.groups.length > 0) {
      const waitMs = this.waitMs(destination);
      if (waitMs === Infinity) return;
      if (waitMs > 0) return this.alarm.at(clock.nowMs() + waitMs);
      const hasBegun = this.beginOne(destination);
      if (!hasBegun && this.isProbeLoading) return;
    }
  }

  /** Whether the lane only waits for its probe to be loaded: what else is to be loaded is not needed. */
  private get isProbeLoading(): boolean {
    const { flow, health } = this.lane;
    return health.isBlocked && flow.isLoading && flow.ready.every((key) => key.needsLoading);
  }

  /** @returns whether a request has begun: there may be nothing to send. */
  private beginOne(destination: Destination): boolean {
    const batch = this.builder.next(destination.limits.maxEvents);
    this.linger.begun();
    const hasEvents = batch.events.length > 0;
    if (hasEvents) void this.send(batch, destination);
    else this.rate.giveBack();
    return hasEvents;
  }

  /** Milliseconds until the next request may begin; Infinity: not before a request ends or a delivery is added. */
  private waitMs({ limits }: Destination): number {
    const { budget } = this.context.lane;
    const { health, flow, identity } = this.lane;
    const { factor } = this.throttle;
    const part = identity.job === null ? factor : factor * JOBS_PART;
    if (this.requests >= Math.max(1, Math.floor(limits.concurrency * part))) return Infinity;
    if (budget.isTight && this.requests > 0) return Infinity;
    const waitMs = Math.max(
      health.waitMs,
      flow.groups.length > 0 || health.isBlocked ? 0 : this.linger.waitMs(flow.ready, limits),
    );
    return waitMs > 0 ? waitMs : this.rate.take(limits, factor);
  }

  private destination(): Destination | undefined {
    try {
      const found = this.context.destinations.find(this.lane.destination) ?? DELETED;
      this.apply(found);
      return found;
    } catch (error) {
      this.context.lane.onError(
        new RouterFault(
          'the settings of a destination cannot be used, such as secrets that PENSTOCK_SECRET does not open: its deliveries wait',
          { connection: this.lane.destination },
          error,
        ),
      );
      return undefined;
    }
  }

  private apply(destination: Destination): void {
    const { version, limits, ordering, maxAgeMs, lingerMs, probeCapMs } = destination;
    const { maxAgeMs: defaultMaxAgeMs, lingerMs: defaultLingerMs } = this.context.lane.options;
    if (version === this.version) return;
    this.linger.forMs = lingerMs ?? defaultLingerMs;
    this.lane.health.probeCapMs = probeCapMs ?? Infinity;
    this.startsAnew = destination.startsAnew === true;
    if (this.startsAnew && this.version > 0) this.lane.health.probeNow();
    this.version = version;
    this.maxAgeMs = maxAgeMs ?? defaultMaxAgeMs;
    this.lane.ordering = ordering;
    this.lane.share.limits = limits;
  }

  private async send(batch: Batch, destination: Destination): Promise<void> {
    const controller = new AbortController();
    const partitions = new Set(batch.parts.map(({ key }) => key.partition));
    this.lane.share.beginRequest();
    const isProbe = this.lane.health.begin();
    for (const { requests } of partitions) requests.begin(controller);
    const { holds } = this.context.rules;
    const mayWrite = (): boolean =>
      [...partitions].every((each) => !each.isGone && holds(each.number));
    const outcomes = await this.attempt(batch, destination, controller.signal, mayWrite);
    this.lane.share.endRequest();
    this.settlement.settle(batch, outcomes, isProbe);
    for (const { requests } of partitions) requests.end(controller);
    this.alarm.soon();
  }

  private async attempt(
    batch: Batch,
    destination: Destination,
    signal: AbortSignal,
    mayWrite: () => boolean,
  ): Promise<readonly Outcome[]> {
    try {
      const terms = { signal, mayWrite };
      const { destination: id } = this.lane;
      const outcomes = await this.context.send(id, batch, destination, terms);
      if (!signal.aborted) return outcomes;
      return outcomes.map((each) => (each.kind === 'unavailable' ? GIVEN_UP : each));
    } catch (error) {
      this.context.lane.onError(
        new RouterFault(
          'a connector has failed while it sent events, which is an error of Penstock itself; they are sent again later',
          { connection: this.lane.destination },
          error,
        ),
      );
      return batch.events.map(() => ({ kind: 'unavailable', reason: 'the connector failed' }));
    }
  }

  private effects(): LaneEffects {
    const { pauses } = this.context;
    return {
      onDenied: (reason) => {
        pauses.pause(this.lane.identity.id, this.version, reason);
        this.lane.detachAll();
      },
      onRecovered: () => {
        pauses.resume(this.lane.identity.id);
        this.context.lane.onRoom();
      },
      onOpened: () => {
        this.lane.detachAll();
      },
      onThrottled: () => {
        this.throttle.slowDown();
      },
    };
  }
}
