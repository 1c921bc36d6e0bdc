import type { Outcome, OutgoingEvent, SendLimits } from '@penstock/connectors';
import {
  type ConfigurationReplica,
  type ConnectionId,
  idempotencyKey as keyOfLive,
} from '@penstock/contracts';
import { type Destination, Destinations, type RequestTerms } from '../../sending/destination';
import { numberIn } from './gateway.fixture';
import { FORBIDDEN, kindOf, REFUSED } from './odd-messages.fixture';
import type { ProcessClock } from './process-clock.fixture';
import type { Simulation } from './simulation.fixture';

/** One event of a request that a destination has received. */
export interface Attempt {
  readonly lane: ConnectionId;
  readonly pipeline: string;
  /** `Accepted.number` of the event. */
  readonly number: number;
  /** Number of the request, in order of arrival. */
  readonly request: number;
  readonly atMs: number;
  readonly sender: ProcessClock;
  readonly result: Outcome['kind'];
  readonly idempotencyKey: string;
}

/** The current behaviour of a destination. */
export interface Mood {
  /** Fractions of requests that fail with 503, hang, or are answered 429. */
  unavailable: number;
  hanging: number;
  throttled: number;
  /** Fraction of requests of which every event is answered 400. */
  rejecting: number;
  /** Whether it answers 401. */
  denies: boolean;
}

export const WELL: Mood = { unavailable: 0, hanging: 0, throttled: 0, rejecting: 0, denies: false };

const REQUEST_TIMEOUT_MS = 3_000;

/** A destination with its limits and behaviour. */
export class Application {
  mood: Mood = { ...WELL };
  /** Whether it has answered 401 for a while, so that deliveries it denies again afterwards are rejected. */
  hasDenied = false;
  /** When a sender last received a retryable failure, in milliseconds of the simulation. */
  lastFailureMs = -Infinity;

  constructor(
    readonly limits: SendLimits,
    /** Age at which failing deliveries are parked; undefined: the router's default. */
    readonly maxAgeMs: number | undefined,
  ) {}
}

/** All destinations of a simulation. */
export class Applications {
  /** Of live deliveries and redrives. */
  readonly attempts: Attempt[] = [];
  /** Of replays, which have idempotency keys of their own. */
  readonly replayed: Attempt[] = [];
  readonly byLane = new Map<ConnectionId, Application>();
  /** Requests that must not have been sent. */
  readonly faults: string[] = [];
  /** Whether single events are answered 403. */
  forbids = true;
  /** Time for which the next process is frozen between connecting and writing; 0: none is. */
  freezeNextMs = 0;
  private requests = 0;

  constructor(private readonly simulation: Simulation) {}

  async answer(
    lane: ConnectionId,
    events: readonly OutgoingEvent[],
    { signal, mayWrite }: RequestTerms,
    sender: ProcessClock,
  ): Promise<readonly Outcome[]> {
    const { simulation } = this;
    await this.connect(sender);
    if (signal.aborted || !mayWrite())
      return events.map(() => ({ kind: 'unavailable', reason: 'not sent', notSent: true }));
    const isHanging = simulation.chance(this.byLane.get(lane)!.mood.hanging);
    const wait = simulation.sleep(isHanging ? REQUEST_TIMEOUT_MS : simulation.between(1, 40));
    const aborted = new Promise<'aborted'>((resolve) => {
      signal.addEventListener('abort', () => {
        resolve('aborted');
      });
    });
    const outcomes = this.outcomes(lane, events, isHanging);
    this.note(lane, events, outcomes, sender);
    const isAborted = (await Promise.race([wait, aborted])) === 'aborted';
    if (isAborted) return events.map(() => ({ kind: 'unavailable', reason: 'no answer' }));
    return outcomes;
  }

  /** Records when the sender received the outcomes, which may be late if it was frozen. */
  noteReceived(lane: ConnectionId, outcomes: readonly Outcome[]): void {
    const application = this.byLane.get(lane)!;
    if (outcomes.some(({ kind }) => kind === 'unavailable'))
      application.lastFailureMs = this.simulation.nowMs;
  }

  private async connect(sender: ProcessClock): Promise<void> {
    const { simulation, freezeNextMs } = this;
    this.freezeNextMs = 0;
    if (freezeNextMs > 0) sender.freeze(freezeNextMs);
    if (freezeNextMs > 0 || simulation.chance(0.3))
      await sender.reach(simulation.sleep(simulation.between(1, 20)));
  }

  private note(
    lane: ConnectionId,
    events: readonly OutgoingEvent[],
    outcomes: readonly Outcome[],
    sender: ProcessClock,
  ): void {
    const atMs = this.simulation.nowMs;
    const request = (this.requests += 1);
    outcomes.forEach(({ kind: result }, index) => {
      const { event, pipeline, values, idempotencyKey } = events[index]!;
      const messageId = event['messageId'] as string;
      const number = numberIn(event);
      const isLive =
        idempotencyKey === keyOfLive(event['connectionId'] as string, messageId, pipeline);
      const attempts = isLive ? this.attempts : this.replayed;
      attempts.push({ lane, pipeline, number, request, atMs, sender, result, idempotencyKey });
      if (values !== null && values['properties'] !== messageId)
        this.faults.push(`${pipeline} ${messageId} was sent with what was made of another event`);
    });
  }

  private outcomes(
    lane: ConnectionId,
    events: readonly OutgoingEvent[],
    isHanging: boolean,
  ): readonly Outcome[] {
    const { simulation } = this;
    const { mood } = this.byLane.get(lane)!;
    const all = (outcome: Outcome): readonly Outcome[] => events.map(() => outcome);
    if (isHanging) return all({ kind: 'unavailable', reason: 'no answer' });
    if (mood.denies) return all({ kind: 'unavailable', reason: 'who are you', status: 401 });
    if (simulation.chance(mood.throttled))
      return all({ kind: 'unavailable', reason: 'slower', status: 429, retryAfterMs: 2_000 });
    if (simulation.chance(mood.unavailable))
      return all({ kind: 'unavailable', reason: 'not now', status: 503 });
    if (mood.rejecting > 0 && simulation.chance(mood.rejecting))
      return all({ kind: 'rejected', reason: 'never', status: 400 });
    const taken = simulation.chance(0.1) ? simulation.between(1, events.length) : events.length;
    const outcomes: Outcome[] = [];
    for (const { event } of events.slice(0, taken)) {
      const outcome = this.outcome(kindOf(event['messageId'] as string));
      outcomes.push(outcome);
      if (outcome.kind === 'unavailable') break;
    }
    return outcomes;
  }

  private outcome(kind: string): Outcome {
    if (kind === REFUSED) return { kind: 'rejected', reason: 'never', status: 400 };
    if (this.forbids && kind === FORBIDDEN)
      return { kind: 'unavailable', reason: 'not this one', status: 403 };
    return { kind: 'delivered' };
  }
}

/** The destinations as one process reaches them, with the settings of its replica. */
export class SimulatedDestinations extends Destinations {
  constructor(
    private readonly applications: Applications,
    private readonly clock: ProcessClock,
    private readonly replica: ConfigurationReplica,
  ) {
    super();
  }

  override find(lane: ConnectionId): Destination | undefined {
    const application = this.applications.byLane.get(lane);
    const connection = this.replica.connection(lane);
    if (application === undefined || connection === undefined) return undefined;
    const { version, delivery } = connection;
    const { limits, maxAgeMs } = application;
    return {
      version,
      connector: connection.connector,
      limits,
      ordering: delivery?.ordering ?? 'key',
      maxAgeMs,
      send: async (events, terms) => {
        const answer = this.applications.answer(lane, events, terms, this.clock);
        const outcomes = await this.clock.reach(answer);
        this.applications.noteReceived(lane, outcomes);
        return outcomes;
      },
    };
  }
}
