import type { Outcome, OutgoingEvent, SendLimits } from '@penstock/connectors';
import {
  RoutingReplica,
  type ConnectionState,
  type Instant,
  type JobId,
  type PipelineId,
  type SendingPipelineState,
  type StateRecord,
  suppressionId,
  Suppressions,
} from '@penstock/contracts';
import { LogUnavailable } from '@penstock/messaging';
import { Engine } from '../../engine';
import { ROUTER_DEFAULTS, type RouterOptions } from '../../lanes/router.options';
import { Ownership } from '../../ownership/ownership';
import { Routes } from '../../routing/routes';
import { type Destination, Destinations, type RequestTerms } from '../../sending/destination';
import type { ReplayRequest } from '../../replays/replay-job';
import type { RedriveRequest } from '../../store/redrive-request';
import type { BodyKey } from '../../store/changes';
import type { RouterStore } from '../../store/router-store';
import { WORKSPACE } from '../pipelines.fixture';
import { keyedHash } from '../model/configuration.fixture';
import { SimulatedFunctions } from '../model/functions.fixture';
import { SimulatedLog } from '../model/log.fixture';
import { BEGINNING_MS, ProcessClock } from '../model/process-clock.fixture';
import { SimulatedReader } from '../model/reader.fixture';
import { Simulation } from '../model/simulation.fixture';
import { MemoryStorage } from '../model/storage.fixture';
import { idOf, stagedConfiguration, stagedEvent } from './staged-records.fixture';
import type { DestinationId } from '../../store/lane-id';

/** A destination and its behaviour. */
export interface StagedDestination {
  readonly name: string;
  readonly limits?: Partial<SendLimits>;
  readonly maxAgeMs?: number;
  /** Name of the events that its pipeline matches; default: all. */
  readonly only?: string;
  /** Duration of its requests; default: 5 ms. */
  readonly tookMs?: number;
  /** Its outcomes for the events of one request at this time of the simulation; default: delivered. */
  readonly answer?: (events: readonly OutgoingEvent[], nowMs: number) => readonly Outcome[];
}

/** A delivered event. */
export interface DeliveredEvent {
  readonly user: string;
  readonly number: number;
  readonly atMs: number;
  readonly idempotencyKey: string;
}

/** A redrive or replay of a stage. */
export interface StagedJob {
  readonly cancel: () => Promise<void>;
  readonly progress: () => Promise<Readonly<Record<string, unknown>>>;
}

export interface StageOptions {
  readonly destinations: readonly StagedDestination[];
  readonly options?: Partial<RouterOptions>;
  readonly partitions?: number;
  /** Approximate size of an event; default: 0, the smallest possible. */
  readonly eventBytes?: number;
}

const TOOK_MS = 5;
const READ_TIMEOUT_MS = 5_000;
const BEGINNING = new Date(BEGINNING_MS).toISOString() as Instant;
const LIMITS: SendLimits = { maxEvents: 100, concurrency: 4 };

/** Source, user and number of an event. */
export const messageIdOf = ({ event }: OutgoingEvent): string => event['messageId'] as string;

export const delivered = (events: readonly OutgoingEvent[]): readonly Outcome[] =>
  events.map(() => ({ kind: 'delivered' }));

export const unavailable =
  (status: number) =>
  (events: readonly OutgoingEvent[]): readonly Outcome[] =>
    events.map(() => ({ kind: 'unavailable', reason: 'not now', status }));

/** The destinations of a stage, for its router. */
class StagedDestinations extends Destinations {
  constructor(private readonly stage: Stage) {
    super();
  }

  override find(lane: DestinationId): Destination | undefined {
    const staged = this.stage.destination(lane);
    if (staged === undefined) return undefined;
    return {
      version: 1,
      connector: 'staged',
      limits: { ...LIMITS, ...staged.limits },
      ordering: 'key',
      maxAgeMs: staged.maxAgeMs,
      send: (events, terms) => this.stage.answer(staged, events, terms),
    };
  }
}

/**
 * One router, two sources and destinations whose behaviour the test sets, in simulated time: hours, or tens of
 * thousands of events, take seconds. Every destination has one pipeline.
 */
export class Stage {
  readonly simulation = new Simulation(1);
  readonly clock = new ProcessClock(this.simulation);
  readonly engine: Engine;
  readonly errors: unknown[] = [];
  /** Delivered events by the name of the destination, in order. */
  readonly taken = new Map<string, DeliveredEvent[]>();
  /** Number of events that were appended to the log. */
  accepted = 0;
  /** Duration of requests to destinations that have none of their own. */
  tookMs = TOOK_MS;
  /** Partitions that have no leader: each read of a slice of them fails, after five seconds. */
  readonly leaderless = new Set<number>();
  /** Number of slices of the log that the router has read, apart from the live reader. */
  slices = 0;
  private readonly eventBytes: number;
  private readonly log: SimulatedLog;
  private readonly storage = new MemoryStorage(this.simulation);
  readonly store: RouterStore;
  private jobs = 0;
  private readonly ownership: Ownership;
  private readonly records: StateRecord[];
  private readonly replica = new RoutingReplica();
  private readonly destinations: ReadonlyMap<DestinationId, StagedDestination>;

  constructor({ destinations, options, partitions = 2, eventBytes = 0 }: StageOptions) {
    this.eventBytes = eventBytes;
    const { simulation, clock } = this;
    // The waits before attempts, too, are the same in every run.
    Math.random = simulation.random;
    this.log = new SimulatedLog(simulation, partitions, 0);
    this.destinations = new Map(destinations.map((each) => [idOf(each.name), each]));
    this.records = stagedConfiguration(destinations);
    const { replica } = this;
    for (const record of this.records) replica.apply(record);
    const all = { ...ROUTER_DEFAULTS, ...options };
    const store = this.storage.open({ ...all, memberId: 'member' });
    this.store = store;
    const onError = (error: unknown): void => {
      this.errors.push(error);
    };
    const sandbox = { unavailable: 0, maxDelayMs: 5 };
    this.engine = new Engine({
      clock,
      store,
      options: all,
      replica,
      routes: this.routes(replica),
      suppressions: new Suppressions(replica, keyedHash),
      destinations: new StagedDestinations(this),
      functions: new SimulatedFunctions(simulation, clock, sandbox),
      read: async (partition, offset, maxBytes) => {
        // A single record is read for its time or its mark.
        if (maxBytes > 1) this.slices += 1;
        if (maxBytes > 1 && this.leaderless.has(partition)) {
          await clock.reach(simulation.sleep(READ_TIMEOUT_MS));
          throw new LogUnavailable('no leader');
        }
        return this.log.read(clock, partition, offset, maxBytes);
      },
      reader: {
        start: (...place) => {
          reader.start(...place);
        },
        stop: (partition) => reader.stop(partition),
      },
      holds: (partition) => this.ownership.holds(partition),
      onLeaseLost: (grant) => {
        this.ownership.lose(grant);
      },
      onError,
    });
    const reader = new SimulatedReader(simulation, clock, this.log, (...batch) =>
      this.engine.onBatch(...batch),
    );
    this.ownership = new Ownership(store, clock, all, this.engine, onError);
  }

  start(): void {
    this.engine.start();
    this.ownership.start(this.log.partitions.length);
  }

  destination(lane: DestinationId): StagedDestination | undefined {
    return this.destinations.get(lane);
  }

  /** Lets the simulation run for this time. */
  async run(ms: number): Promise<void> {
    await this.simulation.run(this.simulation.nowMs + ms);
  }

  /** Accepts events of one user of a source. */
  accept(user: string, count = 1, name = 'A', source = 0): void {
    for (let each = 0; each < count; each += 1) this.acceptOne(user, name, source, this.accepted);
  }

  /** Accepts an event of a user again: with the number that it had. */
  repeat(user: string, number: number, source = 0): void {
    this.acceptOne(user, 'A', source, number);
  }

  /** Calls `work` every `periodMs` for `forMs`. */
  every(periodMs: number, forMs: number, work: (index: number) => void): void {
    const endMs = this.simulation.nowMs + forMs;
    const again = (index: number): void => {
      if (this.simulation.nowMs >= endMs) return;
      work(index);
      this.simulation.later(periodMs, () => {
        again(index + 1);
      });
    };
    again(0);
  }

  /** Names of the destinations whose lanes are detached in any partition. */
  get behind(): ReadonlySet<string> {
    const names = new Set<string>();
    for (const { lane, detachment } of this.engine.catchUp.parts)
      if (detachment !== undefined)
        names.add(this.destinations.get(this.engine.lanes.of(lane).destination)!.name);
    return names;
  }

  /** Number of deliveries in memory, by the name of the destination. */
  get lengths(): ReadonlyMap<string, number> {
    const { live } = this.engine.lanes;
    return new Map(
      live.map(({ destination, length }) => [this.destinations.get(destination)!.name, length]),
    );
  }

  takenBy(name: string): readonly DeliveredEvent[] {
    return this.taken.get(name) ?? [];
  }

  /** The counts of the destination's pipeline, by `State Code`. */
  async counts(name: string): Promise<Readonly<Record<string, number>>> {
    const counts = await this.storage.counts();
    const own = counts.filter(({ pipeline }) => pipeline === `pipeline${name}`);
    return Object.fromEntries(
      own.map(({ state, code, count }) => [`${state} ${code}`.trim(), count]),
    );
  }

  /** Number of stored rows of the destination. */
  async rows(name: string): Promise<number> {
    const rows = await this.storage.rows();
    return rows.filter(({ lane }) => lane === idOf(name)).length;
  }

  /** Redrives dead letters of the destination. @returns the job's present state, when called. */
  async redrive(name: string, request: Partial<RedriveRequest> = {}): Promise<StagedJob> {
    const { jobs } = this.store;
    const place = {
      kind: 'Redrive',
      workspace: WORKSPACE,
      pipeline: `pipeline${name}` as PipelineId,
    } as const;
    const id = `job${String(++this.jobs)}` as JobId;
    const text = JSON.stringify({ ordering: 'key', ...request });
    await jobs.create({ ...place, id, request: text, actor: 'key', command: id });
    return {
      cancel: () => jobs.cancel(id),
      progress: async () => {
        const job = (await jobs.get(place, id))!;
        return { state: job.state, ...Object.fromEntries(job.counts) };
      },
    };
  }

  /** Delivers what the log holds now again, by the pipeline of the destination. @returns as {@link redrive}. */
  async replay(name: string, request: Partial<ReplayRequest> = {}): Promise<StagedJob> {
    const { jobs, replays } = this.store;
    const place = {
      kind: 'DeliveringReplay',
      workspace: WORKSPACE,
      pipeline: `pipeline${name}` as PipelineId,
    } as const;
    const id = `job${String(++this.jobs)}` as JobId;
    const windows = this.log.partitions.map((_, at) => ({ start: 0, end: this.log.end(at) }));
    const sources = [idOf('source0'), idOf('source1')];
    const times = { from: BEGINNING, to: BEGINNING };
    const all = { mode: 'deliver', ...times, filter: null, draft: null, ordering: 'key' } as const;
    const text = JSON.stringify({ ...all, version: 1, sources, ...request });
    const job = { ...place, id, request: text, actor: 'key', command: id };
    if ((await replays.create(job, windows)) === undefined) throw new Error('one is running');
    return {
      cancel: () => replays.stop(id, 'Cancelled', ''),
      progress: async () => {
        const found = (await jobs.get(place, id))!;
        return { state: found.state, ...Object.fromEntries(found.counts) };
      },
    };
  }

  /** Number of deliveries that the database holds as open, of all replays. */
  async openReplayed(): Promise<number> {
    const open = (await this.store.jobs.open()).filter(({ kind }) => kind === 'DeliveringReplay');
    let sum = 0;
    for (const { id } of open)
      for (const at of this.log.partitions.keys())
        sum += (await this.store.replays.rest(id, at))?.open.length ?? 0;
    return sum;
  }

  /** Publishes a new version of the destination's pipeline. */
  changePipeline(name: string, change: Partial<SendingPipelineState>): void {
    const id = `pipeline${name}` as PipelineId;
    const { state } = this.records.findLast((record) => record.state.id === id)!;
    const { version } = state as SendingPipelineState;
    this.publish({ ...(state as SendingPipelineState), ...change, version: version + 1 });
  }

  /** Deletes the destination's connection. */
  deleteConnection(name: string): void {
    const { state } = this.records.findLast((record) => record.state.id === idOf(name))!;
    const { version } = state as ConnectionState;
    this.publish({ ...(state as ConnectionState), deleted: true, version: version + 1 });
  }

  /** Suppresses a user. */
  suppress(user: string): void {
    const id = suppressionId(keyedHash, WORKSPACE, user);
    const state = { kind: 'suppression', id, workspace: WORKSPACE, version: 1, suppressed: true };
    this.publish(state as never);
  }

  /** Where the events of the stored rows of the destination are: every second one, from the first or second on. */
  async placesOf(name: string, first: 0 | 1): Promise<readonly BodyKey[]> {
    const rows = await this.storage.rows();
    const own = rows.filter(({ lane }) => lane === idOf(name));
    return own
      .filter((_, at) => at % 2 === first)
      .map(({ partition, offset }) => ({ partition, offset }));
  }

  /** State and code of the stored rows of the destination, counted. */
  async deadLetters(name: string): Promise<Readonly<Record<string, number>>> {
    const rows = await this.storage.rows();
    const found: Record<string, number> = {};
    for (const { lane, state, code } of rows)
      if (lane === idOf(name)) found[`${state} ${code}`] = (found[`${state} ${code}`] ?? 0) + 1;
    return found;
  }

  /** The users whose events the destination received out of order. */
  disordered(name: string): readonly string[] {
    const last = new Map<string, number>();
    const found = new Set<string>();
    for (const { user, number } of this.takenBy(name)) {
      if (number <= (last.get(user) ?? -1)) found.add(user);
      last.set(user, number);
    }
    return [...found];
  }

  async answer(
    { name, answer = delivered, tookMs = this.tookMs }: StagedDestination,
    events: readonly OutgoingEvent[],
    { signal, mayWrite }: RequestTerms,
  ): Promise<readonly Outcome[]> {
    const { simulation, clock } = this;
    if (signal.aborted || !mayWrite())
      return events.map(() => ({ kind: 'unavailable', reason: 'not sent', notSent: true }));
    await clock.reach(simulation.sleep(tookMs));
    const outcomes = answer(events, simulation.nowMs);
    const taken = this.taken.get(name) ?? [];
    this.taken.set(name, taken);
    for (const [index, { kind }] of outcomes.entries()) {
      const [user = '', number] = messageIdOf(events[index]!).split('/');
      const { idempotencyKey } = events[index]!;
      const atMs = simulation.nowMs;
      if (kind === 'delivered') taken.push({ user, number: Number(number), atMs, idempotencyKey });
    }
    return outcomes;
  }

  private publish(state: StateRecord['state']): void {
    const record = { position: this.records.length + 1, state };
    this.records.push(record);
    this.replica.apply(record);
  }

  private routes(replica: RoutingReplica): Routes {
    const statesOf = <State extends ConnectionState | SendingPipelineState>(id: State['id']) =>
      this.records
        .filter(({ state }) => state.id === id)
        .map(({ position, state }) => ({ position, state: state as State }));
    return new Routes({
      replica,
      historySource: {
        connectionStates: (id) => Promise.resolve(statesOf<ConnectionState>(id)),
        pipelineStates: (id) => Promise.resolve(statesOf<SendingPipelineState>(id)),
        pipelineVersion: (id, version) =>
          Promise.resolve(statesOf<SendingPipelineState>(id)[version - 1]?.state),
      },
      caughtUp: () => Promise.resolve(),
      labelOf: (code) => code,
      onBeyondEnd: () => undefined,
    });
  }

  private acceptOne(user: string, name: string, at: number, number: number): void {
    const { simulation, log, records } = this;
    const time = new Date(BEGINNING_MS + simulation.nowMs).toISOString();
    const seen = records.length;
    const bytes = this.eventBytes;
    const { key, value } = stagedEvent({ at, user, name, number, time, seen, bytes });
    const sum = Buffer.from(key).reduce((all, byte) => all + byte, 0);
    log.append(sum % log.partitions.length, key, value);
    this.accepted += 1;
  }
}
