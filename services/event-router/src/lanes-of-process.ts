import type { ConnectionId } from '@penstock/contracts';
import type { EngineDependencies } from './engine-dependencies';
import { Endings } from './lanes/endings';
import { Lane } from './lanes/lane';
import {
  type DestinationId,
  isOfJob,
  type LaneId,
  type LaneIdentity,
  liveLane,
  workspaceOfWarehouse,
} from './store/lane-id';
import type { LaneContext } from './lanes/lane-context';
import { LanePauses } from './lanes/lane-pauses';
import type { MemoryBudget } from './progress/memory-budget';
import type { OwnedPartition } from './progress/owned-partition';
import type { SteadyWall } from './progress/steady-wall';
import { isOfSuppressed } from './routing/is-of-suppressed';
import { Dispatcher, type DispatcherContext } from './sending/dispatcher';
import { type FunctionCircuit, Functions } from './sending/functions';
import { RowLoader } from './sending/row-loader';
import { type RowsAfter, rowsOfKey } from './sending/rows-of-key';
import { sendBatch } from './sending/send-batch';

/** Longest pause between two attempts to run functions while no sandbox is available. */
const SANDBOX_BACKOFF_CAP_MS = 30_000;

export interface LanesContext extends Pick<LaneContext, 'onBehind' | 'onRoom'> {
  readonly deps: EngineDependencies;
  readonly budget: MemoryBudget;
  readonly wall: SteadyWall;
}

/** The lanes of this process, each with the dispatcher that sends its requests. */
export class LanesOfProcess implements Iterable<Lane> {
  readonly pauses: LanePauses;
  private readonly dispatchers = new Map<LaneId, Dispatcher>();
  private readonly ownRows = new Map<LaneId, RowsAfter>();
  private readonly functions: Functions;
  private readonly laneContext: LaneContext;
  private readonly deps: EngineDependencies;

  constructor({ deps, budget, wall, onBehind, onRoom }: LanesContext) {
    this.deps = deps;
    const { clock, options, store, routes, replica, onError } = deps;
    const endings = new Endings(wall, budget, deps.live);
    const rows = new RowLoader({
      rowsAfter: rowsOfKey(
        {
          waiting: (...page) => store.waiting(...page),
          chosen: (...page) => store.redrives.rows(...page),
          ownRows: (lane) => this.ownRows.get(lane),
        },
        (pipeline) => routes.presentVersion(pipeline),
      ),
      budget,
      nowMs: () => wall.nowMs(),
      versions: (wanted) => routes.versions(wanted),
    });
    const { backoffBaseMs } = options;
    const backoffCapMs = Math.min(SANDBOX_BACKOFF_CAP_MS, options.backoffCapMs);
    const backoff = { backoffBaseMs, backoffCapMs };
    this.functions = new Functions(endings, { functions: deps.functions, clock, backoff, onError });
    this.laneContext = {
      clock,
      wall,
      options,
      budget,
      endings,
      isDeleted: ({ pipeline }) => routes.isDeleted(pipeline.state),
      loadRows: (...page) => rows.load(...page),
      transform: (delivery, onMade) => {
        this.functions.transform(delivery, onMade);
      },
      onBehind,
      onRoom,
      onError,
    };
    this.pauses = new LanePauses({
      store,
      wall,
      lane: (id) => this.dispatchers.get(id)?.lane,
      versionOf: (id) => {
        // The id of a live lane is that of its destination, whether this process has the lane or not.
        const destination = this.dispatchers.get(id)?.lane.destination ?? id;
        return replica.connectionEver(destination as ConnectionId)?.version;
      },
      onError,
    });
    this.dispatcherContext = this.contextOf(deps);
  }

  private readonly dispatcherContext: DispatcherContext;

  *[Symbol.iterator](): Iterator<Lane> {
    for (const { lane } of this.dispatchers.values()) yield lane;
  }

  /** The lanes of live deliveries. */
  get live(): readonly Lane[] {
    return [...this].filter(({ identity }) => identity.job === null);
  }

  /** The circuits of the functions that this process has used. */
  get circuits(): Iterable<FunctionCircuit> {
    return this.functions.circuits();
  }

  /** The lane with this id; that of a destination is created on first use. @throws Error for a job's that is not open. */
  of(id: LaneId): Lane {
    const known = this.dispatchers.get(id);
    if (known !== undefined) return known.lane;
    if (isOfJob(id)) throw new Error(`lane ${id} is not open`);
    return this.open(liveLane(id));
  }

  /**
   * The lane of a job, or another one by its identity; created on first use.
   *
   * @param rows reads its rows; absent: they are in the store.
   */
  open(identity: LaneIdentity, rows?: RowsAfter): Lane {
    const known = this.dispatchers.get(identity.id);
    if (known !== undefined) return known.lane;
    const lane = new Lane(identity, this.laneContext);
    this.dispatchers.set(identity.id, new Dispatcher(lane, this.dispatcherContext));
    if (rows !== undefined) this.ownRows.set(identity.id, rows);
    return lane;
  }

  /** Removes the lane with everything in it; nothing of it may be in a request. */
  close(id: LaneId): void {
    const dispatcher = this.dispatchers.get(id);
    if (dispatcher === undefined) return;
    this.dispatchers.delete(id);
    this.ownRows.delete(id);
    dispatcher.stop();
    for (const { partition } of [...dispatcher.lane.parts]) dispatcher.lane.drop(partition);
  }

  /** Removes everything of the partition from all lanes. */
  drop(partition: OwnedPartition): void {
    for (const lane of this) lane.drop(partition);
  }

  /** Looks after what no event from outside brings about. Call it periodically. */
  lookAfter(): void {
    for (const dispatcher of this.dispatchers.values()) {
      dispatcher.lane.lookAfter();
      dispatcher.lookAfter();
    }
  }

  /** Closes the lanes of deleted destinations of which nothing is left. Call it from time to time. */
  closeUnused(): void {
    for (const { identity, isUnused } of this.live)
      if (isUnused && this.isDeleted(identity.destination)) this.close(identity.id);
  }

  /** Stops functions and dispatchers; nothing is sent afterwards. */
  stop(): void {
    this.functions.stop();
    for (const dispatcher of this.dispatchers.values()) dispatcher.stop();
  }

  private isDeleted(destination: DestinationId): boolean {
    const { replica } = this.deps;
    const workspace = workspaceOfWarehouse(destination);
    if (workspace !== undefined) return replica.workspace(workspace) === undefined;
    return replica.connectionEver(destination as ConnectionId)?.deleted !== false;
  }

  private contextOf({
    destinations,
    holds,
    suppressions,
    store,
    spans,
  }: EngineDependencies): DispatcherContext {
    return {
      lane: this.laneContext,
      destinations,
      rules: {
        holds,
        isDeleted: this.laneContext.isDeleted,
        isSuppressed: ({ pipeline, held }) =>
          isOfSuppressed(suppressions, pipeline.state.workspace, held.read.event),
      },
      takeTokens: (wanted) => store.takeTokens(wanted),
      pauses: this.pauses,
      send: spans?.send ?? sendBatch,
    };
  }
}
