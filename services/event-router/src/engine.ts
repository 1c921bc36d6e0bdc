import { type ConnectionId, isSending } from '@penstock/contracts';
import type { LogRecord } from '@penstock/messaging';
import { checkLog } from './check-log';
import { DeliveringReplays } from './delivering/delivering-replays';
import type { EngineDependencies } from './engine-dependencies';
import { LanesOfProcess } from './lanes-of-process';
import { spillOverdue } from './lanes/spill-overdue';
import { MemoryRelief } from './memory-relief';
import { OwnershipHost } from './ownership/ownership-host';
import { Committer, type CommitterHost } from './progress/committer';
import { MemoryBudget } from './progress/memory-budget';
import { OwnedPartition } from './progress/owned-partition';
import { RequestsInFlight } from './progress/requests-in-flight';
import { SteadyWall } from './progress/steady-wall';
import { CatchUp, type CatchUpContext } from './reading/catch-up';
import { Distribution } from './reading/distribution';
import { LiveRouting } from './reading/live-routing';
import { OldestWaiting } from './reading/oldest-waiting';
import { Placement } from './reading/placement';
import { Restoring } from './reading/restoring';
import { WaitingEvents } from './reading/waiting-events';
import { Redriving } from './redriving/redriving';
import { isOrganizationDisabled } from './replays/cancelled-with';
import { workspaceOfWarehouse } from './store/lane-id';
import type { LeaseGrant, PartitionProgress } from './store/router-store';
import { SeenMessages } from './store/seen-messages';
import { unlessAborted } from './time/aborted';
import { Periodic } from './time/periodic';
import { type FaultPlace, RouterFault } from './faults/router-fault';

const UNOBSERVED = { onCommitted: () => undefined, onDelivered: () => undefined };
const LOOK_AFTER_MS = 250;
const RELIEF_MS = 1_000;
const UNUSED_MS = 60_000;
const PAUSES_MS = 1_000;
const OLDEST_MS = 30_000;
const WAITING_MS = 5_000;
const DAY_MS = 86_400_000;
/** Limit, at a hand-over, for aborted requests to end and for the last commit. */
const LAST_WORK_MS = 3_000;

/** Routes and delivers the events of the partitions that this process owns, through one lane per destination. */
export class Engine extends OwnershipHost {
  readonly budget: MemoryBudget;
  readonly lanes: LanesOfProcess;
  readonly catchUp: CatchUp;
  readonly committer: Committer;
  readonly oldest: OldestWaiting;
  /** Who is told of commits. */
  observed: Pick<CommitterHost, 'onCommitted' | 'onDelivered'> = UNOBSERVED;
  private readonly partitions = new Map<number, OwnedPartition>();
  private readonly routing: LiveRouting;
  private readonly restoring: Restoring;
  private readonly redriving: Redriving;
  private readonly delivering: DeliveringReplays;
  private readonly waiting: WaitingEvents;
  private readonly workspaceOf: CatchUpContext['workspaceOf'];
  private readonly relief: MemoryRelief;
  private readonly periodic: Periodic;

  constructor(private readonly deps: EngineDependencies) {
    super();
    const { clock, store, options, routes, suppressions, replica, read, onError } = deps;
    const budget = new MemoryBudget(options.budgetBytes);
    const wall = new SteadyWall(clock);
    const lanes: LanesOfProcess = new LanesOfProcess({
      deps,
      budget,
      wall,
      onBehind: (part) => {
        this.catchUp.add(part);
      },
      onRoom: () => {
        this.catchUp.poke();
        this.redriving.poke();
        this.delivering.poke();
      },
    });
    const lane = lanes.of.bind(lanes);
    const distribution = new Distribution({ routes, suppressions, budget, wall, lane, onError });
    const placement = new Placement({ distribution, wall, lane, onError });
    this.periodic = new Periodic(clock);
    this.budget = budget;
    this.relief = new MemoryRelief(budget, lanes);
    this.lanes = lanes;
    this.committer = new Committer(store, clock, options, {
      onBegun: (commits) => deps.spans?.commit(commits),
      onCommitted: (tookMs) => {
        this.observed.onCommitted(tookMs);
      },
      onDelivered: (latencyMs, count) => {
        this.observed.onDelivered(latencyMs, count);
      },
      onLost: (partition) => {
        this.onCommitLost(partition);
      },
      onError,
    });
    this.routing = new LiveRouting({
      clock,
      budget,
      routes,
      seen: new SeenMessages(store),
      distribution,
      read,
      relief: this.relief,
      ...(deps.live && { live: deps.live }),
      onDifferentBody: deps.onDifferentBody,
      restart: ({ number, routed }) => {
        deps.reader.start(number, routed);
      },
      spans: deps.spans,
      onError,
    });
    this.workspaceOf = (id) =>
      workspaceOfWarehouse(id) ?? replica.connectionEver(id as ConnectionId)?.workspace ?? '';
    this.catchUp = new CatchUp({
      clock,
      budget,
      routes,
      placement,
      read,
      lane,
      workspaceOf: this.workspaceOf,
      lagMs: () => this.routing.lagMs,
      sliceBytes: options.sliceBytes,
      shed: this.relief.shed.bind(this.relief),
      onError,
    });
    this.restoring = new Restoring({ clock, routes, lane, onError });
    this.redriving = new Redriving({
      clock,
      store,
      partitions: () => this.partitions.values(),
      open: lanes.open.bind(lanes),
      close: lanes.close.bind(lanes),
      destinationOf: (pipeline) => routes.laneOf(pipeline),
      isDeleted: (pipeline) => routes.presentVersion(pipeline) === undefined,
      onError,
    });
    this.delivering = new DeliveringReplays({
      clock,
      budget,
      store,
      routes,
      read,
      liveLagMs: () => this.routing.lagMs,
      partitions: () => this.partitions.values(),
      open: lanes.open.bind(lanes),
      close: lanes.close.bind(lanes),
      destinationOf: (pipeline) => routes.laneOf(pipeline),
      newest: (pipeline) => {
        const found = replica.pipeline(pipeline);
        return found && isSending(found) ? found : undefined;
      },
      isDisabled: (workspace) => isOrganizationDisabled(replica, workspace),
      onError,
    });
    // The events topic has the same retention as outcomes.
    const retentionMs = options.outcomeDays * DAY_MS;
    this.oldest = new OldestWaiting({ clock, read, retentionMs, onError });
    this.waiting = new WaitingEvents({ clock, read, store });
  }

  start(): void {
    this.periodic.every(LOOK_AFTER_MS, () => {
      this.lanes.lookAfter();
      spillOverdue(this.lanes, this.workspaceOf, this.deps.options.maxRowsPerLook);
    });
    this.periodic.every(RELIEF_MS, () => {
      this.relief.lookAfter();
    });
    this.periodic.every(UNUSED_MS, () => {
      this.lanes.closeUnused();
    });
    this.periodic.every(PAUSES_MS, () => {
      this.lanes.pauses
        .follow()
        .catch(
          this.reporting('pauses of destinations cannot be read from PostgreSQL; trying again'),
        );
    });
    this.periodic.every(this.deps.options.polling.jobsMs, () => {
      void this.redriving.look();
      void this.delivering.look();
    });
    this.periodic.every(OLDEST_MS, () => {
      this.oldest
        .look(this.partitions.values())
        .catch(
          this.reporting(
            'the age of the oldest waiting events cannot be read from the log; trying again',
          ),
        );
    });
    this.periodic.every(WAITING_MS, () => {
      this.waiting
        .look(this.partitions.values(), this.catchUp.parts)
        .catch(this.reporting('since when events wait cannot be noted; trying again'));
    });
  }

  /** Stops all timers and lanes. Call it when no partition is owned any more. */
  stop(): void {
    this.periodic.stop();
    this.catchUp.stop();
    this.committer.stop();
    this.lanes.stop();
  }

  /** Milliseconds by which the live reader is behind the end of the log. */
  get liveLagMs(): number {
    return this.routing.lagMs;
  }

  get ownedPartitions(): Iterable<OwnedPartition> {
    return this.partitions.values();
  }

  /** Routes records of a partition that the live reader has read; ignores those of partitions that are not owned. */
  async onBatch(
    number: number,
    records: readonly LogRecord[],
    leaving: AbortSignal,
  ): Promise<void> {
    const partition = this.partitions.get(number);
    if (partition !== undefined) await this.routing.take(partition, records, leaving);
  }

  override async take(
    grant: LeaseGrant,
    progress: PartitionProgress,
    signal: AbortSignal,
  ): Promise<void> {
    await unlessAborted(signal, checkLog(grant.partition, progress, this.deps.read));
    this.lost(grant.partition);
    const { clock, reader } = this.deps;
    const partition = new OwnedPartition(grant, progress, new RequestsInFlight(), clock, () => {
      this.committer.changed();
    });
    this.partitions.set(grant.partition, partition);
    this.committer.watch(partition);
    for (const part of this.restoring.restore(partition, progress)) this.catchUp.add(part);
    reader.start(partition.number, partition.routed);
  }

  override async leave(number: number, deadline: AbortSignal): Promise<void> {
    const partition = this.partitions.get(number);
    if (partition === undefined) return;
    const { requests } = partition;
    partition.stopSending();
    const quiet = Promise.all([this.deps.reader.stop(number), requests.ended()]);
    await unlessAborted(deadline, quiet).catch(() => undefined);
    requests.abort();
    const last = new AbortController();
    const cancel = this.deps.clock.after(LAST_WORK_MS, () => {
      last.abort();
    });
    try {
      await unlessAborted(last.signal, requests.ended()).catch(() => undefined);
      await this.committer.flush(partition, last.signal);
    } finally {
      cancel();
      this.forget(partition);
    }
  }

  override lost(number: number): void {
    const partition = this.partitions.get(number);
    if (partition !== undefined) this.forget(partition);
  }

  private forget(partition: OwnedPartition): void {
    const { number } = partition;
    if (this.partitions.get(number) !== partition) return;
    this.partitions.delete(number);
    partition.lose();
    this.committer.unwatch(partition);
    this.lanes.drop(partition);
    this.delivering.drop(partition);
    partition.discard();
    this.deps.reader.stop(number).catch(
      this.reporting('reading a partition that is given up could not be stopped', {
        partition: number,
      }),
    );
  }

  private reporting(what: string, where: FaultPlace = {}): (cause: unknown) => void {
    return (cause) => {
      this.deps.onError(new RouterFault(what, where, cause));
    };
  }

  private onCommitLost(number: number): void {
    const partition = this.partitions.get(number);
    if (partition === undefined) return;
    this.forget(partition);
    this.deps.onLeaseLost({ partition: number, epoch: partition.epoch });
  }
}
