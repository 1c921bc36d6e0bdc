import {
  type ConnectionState,
  type SendingPipelineState,
  RoutingReplica,
  Suppressions,
} from '@penstock/contracts';
import { Engine } from '../../engine';
import { ROUTER_DEFAULTS, type RouterOptions } from '../../lanes/router.options';
import { Ownership } from '../../ownership/ownership';
import { type RoutesDependencies, Routes, type Stamped } from '../../routing/routes';
import type { Cursor } from '../../store/changes';
import { feed, keyedHash, SimulatedConfiguration } from './configuration.fixture';
import { Application, Applications, SimulatedDestinations } from './destinations.fixture';
import { faultyStore, Locks, type StoreFaults } from './faulty-store.fixture';
import { type SandboxFaults, SimulatedFunctions } from './functions.fixture';
import { SimulatedGateway } from './gateway.fixture';
import { suppressionOf, wayOf } from './judged.fixture';
import { SimulatedLog } from './log.fixture';
import { ProcessClock } from './process-clock.fixture';
import { SimulatedReader } from './reader.fixture';
import { SimulatedRedrives } from './redrives.fixture';
import { SimulatedReplays } from './replays.fixture';
import { Simulation } from './simulation.fixture';
import { MemoryStorage, type Storage } from './storage.fixture';
import { type Traits, traitsOf } from './traits.fixture';

/** One router of a simulation. */
export interface SimulatedRouter {
  readonly clock: ProcessClock;
  readonly engine: Engine;
  readonly ownership: Ownership;
  readonly close: () => void;
}

const optionsOf = (simulation: Simulation): RouterOptions => ({
  ...ROUTER_DEFAULTS,
  budgetBytes: simulation.pick([25_000, 60_000, 400_000]),
  commitChanges: simulation.pick([5, 1_500]),
  spillAfterMs: 400,
  maxRowsPerLook: 3,
  maxRowsPerKey: simulation.pick([2, 6, 20]),
  maxOpenPerLane: simulation.pick([4, 12, 40]),
  backoffBaseMs: 100,
  backoffCapMs: 1_000,
  firstPauseProbeMs: 200,
  pauseProbeMs: 800,
  leaseMs: 2_000,
  handOverMs: 500,
  sliceBytes: 5_000,
});

/** Routes that are prepared of up to two events at a time, as where there is no room for more. */
class ScantRoutes extends Routes {
  override prepare(heads: readonly Stamped[]): Promise<number> {
    return super.prepare(heads.slice(0, 2));
  }
}

export interface WorldOptions {
  readonly seed: number;
  /** Opens the database; default: one in memory. */
  readonly openStorage?: (simulation: Simulation) => Storage;
  /** Overrides of the random traits. */
  readonly traits?: Partial<Traits>;
}

/** A simulated installation in which everything happens at random. */
export class World {
  readonly simulation: Simulation;
  readonly traits: Traits;
  readonly options: RouterOptions;
  readonly log: SimulatedLog;
  readonly configuration: SimulatedConfiguration;
  readonly gateway: SimulatedGateway;
  readonly applications: Applications;
  readonly storage: Storage;
  readonly errors: unknown[] = [];
  /** Faults that checks during the run have found. */
  readonly imbalances: string[] = [];
  /** Running routers. */
  readonly routers = new Set<SimulatedRouter>();
  /** Routers that were stopped, or are stopping, orderly. */
  readonly stopped = new Set<SimulatedRouter>();
  readonly faults: StoreFaults = { failing: 0, lostAnswers: 0, late: 0, maxDelayMs: 10 };
  readonly redrives: SimulatedRedrives;
  readonly replays: SimulatedReplays;
  readonly sandbox: SandboxFaults = { unavailable: 0, maxDelayMs: 60 };
  private readonly locks = new Locks();
  private members = 0;

  constructor({ seed, openStorage, traits }: WorldOptions) {
    const simulation = new Simulation(seed);
    this.simulation = simulation;
    this.traits = { ...traitsOf(simulation), ...traits };
    this.options = optionsOf(simulation);
    const holes = this.traits.hasHoles ? 0.2 : 0;
    this.log = new SimulatedLog(simulation, simulation.between(1, 3), holes);
    this.configuration = new SimulatedConfiguration(simulation, this.traits);
    this.gateway = new SimulatedGateway(simulation, this.log, this.configuration);
    this.applications = new Applications(simulation);
    this.storage = openStorage?.(simulation) ?? new MemoryStorage(simulation);
    const client = this.storage.open({ ...this.options, memberId: 'client' });
    this.redrives = new SimulatedRedrives(simulation, client.jobs, this.configuration);
    this.replays = new SimulatedReplays(simulation, client, this.configuration, this.log);
    for (const lane of this.configuration.lanes)
      this.applications.byLane.set(lane, this.newApplication());
  }

  startRouter(): SimulatedRouter {
    const { simulation, configuration, options } = this;
    const clock = new ProcessClock(simulation);
    const replica = new RoutingReplica(this.isScant ? { maxLearnedLength: 1 } : {});
    const unfollow = feed(simulation, configuration, replica);
    const store = this.openStore(clock);
    const onError = (error: unknown): void => {
      this.errors.push(error);
    };
    const engine: Engine = new Engine({
      clock,
      store,
      options,
      replica,
      routes: this.newRoutes(clock, replica),
      suppressions: new Suppressions(replica, keyedHash),
      destinations: new SimulatedDestinations(this.applications, clock, replica),
      functions: new SimulatedFunctions(simulation, clock, this.sandbox),
      read: this.log.read.bind(this.log, clock),
      reader: {
        start: (partition, offset) => {
          reader.start(partition, offset);
        },
        stop: (partition) => reader.stop(partition),
      },
      holds: (partition) => ownership.holds(partition),
      onLeaseLost: (grant) => {
        ownership.lose(grant);
      },
      onError,
    });
    const reader = new SimulatedReader(simulation, clock, this.log, (...batch) =>
      engine.onBatch(...batch),
    );
    const ownership: Ownership = new Ownership(store, clock, options, engine, onError);
    engine.start();
    ownership.start(this.log.partitions.length);
    const router = { clock, engine, ownership, close: unfollow };
    this.routers.add(router);
    return router;
  }

  /** Kills the router, as SIGKILL does. */
  crash(router: SimulatedRouter): void {
    this.routers.delete(router);
    router.clock.kill();
    router.close();
  }

  async stop(router: SimulatedRouter): Promise<void> {
    this.routers.delete(router);
    this.stopped.add(router);
    await router.ownership.stop();
    router.engine.stop();
    router.close();
  }

  /** Describes what is still under way or waiting; empty when everything has ended and is committed. */
  async unfinished(): Promise<string> {
    const found: string[] = [];
    for (const [number, progress] of await this.storage.progress()) {
      const { routed, open, cursors, waiting } = progress;
      const end = this.log.end(number);
      if (routed < end) found.push(`${number} is routed to ${routed} of ${end}`);
      for (const { offset, pipeline } of open)
        found.push(`${number}/${offset}/${pipeline} is open`);
      for (const cursor of cursors)
        if (cursor.owed.size > 0 || this.isWanted(number, cursor))
          found.push(`${cursor.lane} ${cursor.orderKey} stands at ${number}/${cursor.position}`);
      for (const { lane, orderKey, rows } of waiting)
        found.push(`${rows} rows of ${lane} ${orderKey} wait`);
    }
    for (const { id, state } of await this.redrives.open()) found.push(`${id} is ${state}`);
    for (const { id, state } of await this.replays.open()) found.push(`${id} is ${state}`);
    return found.join(', ');
  }

  /** Whether the log has an event at or after the cursor that must be delivered. */
  private isWanted(number: number, { lane, orderKey, position }: Cursor): boolean {
    const { configuration, gateway } = this;
    const pipelines = configuration.pipelines.filter(
      (id) => configuration.pipeline(id).connection === lane,
    );
    return gateway.accepted.some(
      (event) =>
        event.partition === number &&
        event.offset >= position &&
        (orderKey === '' || orderKey.startsWith(event.key)) &&
        suppressionOf(configuration, event) !== 'yes' &&
        pipelines.some((id) => wayOf(configuration, event, id) === 'matched'),
    );
  }

  private newApplication(): Application {
    const { simulation, traits } = this;
    const limits = {
      maxEvents: simulation.pick([1, 3, 10]),
      concurrency: simulation.between(1, 3),
      ...(simulation.chance(0.2) && { ratePerSecond: 20 }),
    };
    const isImpatient = traits.isImpatient && simulation.chance(0.5);
    return new Application(limits, isImpatient ? simulation.between(500, 4_000) : undefined);
  }

  private newRoutes(clock: ProcessClock, replica: RoutingReplica): Routes {
    const { simulation, configuration } = this;
    const answer = <T>(find: () => T): Promise<T> => clock.reach(simulation.sleep(20).then(find));
    const dependencies: RoutesDependencies = {
      replica,
      historySource: {
        connectionStates: (id) => answer(() => configuration.historyOf<ConnectionState>(id)),
        pipelineStates: (id) => answer(() => configuration.historyOf<SendingPipelineState>(id)),
        pipelineVersion: (id, version) =>
          answer(() => configuration.historyOf<SendingPipelineState>(id)[version - 1]?.state),
      },
      caughtUp: () => clock.reach(simulation.sleep(200)),
      labelOf: (code) => code,
      onBeyondEnd: () => undefined,
    };
    return this.isScant ? new ScantRoutes(dependencies) : new Routes(dependencies);
  }

  /** Whether its routers have no room for what they learn of the history; without a random number, as the replays. */
  private get isScant(): boolean {
    return this.simulation.seed % 3 === 1;
  }

  private openStore(clock: ProcessClock) {
    const store = this.storage.open({ ...this.options, memberId: `member${this.members++}` });
    return faultyStore(this.simulation, clock, store, this.faults, this.locks);
  }
}
