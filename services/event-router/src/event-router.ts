import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigurationPicture, type ConnectionId, Suppressions, TOPIC } from '@penstock/contracts';
import type { GuardedHttp } from '@penstock/connectors';
import type { LogRecord, MessageLog, Reader, Subscription } from '@penstock/messaging';
import type { FunctionRunner } from '@penstock/transformations';
import { EventIntake } from './event-intake';
import type { Destinations } from './lanes/destination';
import { FunctionResults } from './lanes/function-results';
import { Functions } from './lanes/functions';
import { Lane } from './lanes/lane';
import { StoredDeliveries } from './lanes/stored-deliveries';
import { Committer } from './partitions/committer';
import { Leases } from './partitions/leases';
import { MemoryBudget } from './partitions/memory-budget';
import { Partition } from './partitions/partition';
import { unlessAborted } from './partitions/unless-aborted';
import { Routes } from './route/routes';
import type { RouterOptions } from './router.options';
import type { LeaseGrant, RouterStore } from './store/router-store';
import { Erasure } from './store/erasure';
import { SeenMessages } from './store/seen-messages';

const GROUP = 'event-router';
const SPILL_CHECK_MS = 250;
const SWEEP_MS = 30 * 60_000;
/** How soon what is kept of a user is erased. */
const ERASE_MS = 1_000;
const ACQUIRE_PAUSE_MS = 500;
const INSIST_PAUSE_MS = 100;
const SHOW_POSITION_MS = 5_000;
/** A sandbox that comes back is used again within this time. */
const SANDBOX_BACKOFF_CAP_MS = 30_000;

/** The partition went to another member while its lease was waited for. */
class Revoked extends Error {
  override readonly name = 'Revoked';
}

export interface RouterDependencies {
  readonly log: MessageLog;
  readonly store: RouterStore;
  readonly http: GuardedHttp;
  readonly functions: FunctionRunner;
  readonly options: RouterOptions;
  /** By which the ids of suppressed users are compared. */
  readonly keyedHash: (text: string) => string;
  readonly destinations: (picture: ConfigurationPicture) => Destinations;
  /** The connector's label, by which an event's `integrations` may name it. */
  readonly labelOf: (connector: string) => string;
  readonly onError: (error: unknown) => void;
}

/** Reads the partitions of the events topic that it has a lease on and brings every event to its destinations. */
export class EventRouter {
  readonly picture = new ConfigurationPicture();
  private readonly budget: MemoryBudget;
  private readonly leases: Leases;
  private readonly committer: Committer;
  private readonly routes = new Routes(this.picture);
  private readonly lanes = new Map<ConnectionId, Lane>();
  private readonly partitions = new Map<number, Partition>();
  private readonly assigned = new Set<number>();
  private readonly taking = new Map<number, Promise<Partition>>();
  private readonly intake: EventIntake;
  private readonly stored: StoredDeliveries;
  private readonly erasure: Erasure;
  private readonly results: FunctionResults;
  private readonly functions: Functions;
  private readonly destinations: Destinations;
  private readonly timers: NodeJS.Timeout[] = [];
  private configuration: Reader | undefined;
  private subscription: Subscription | undefined;
  private resubscribing: Promise<void> | undefined;
  private isStopping = false;

  constructor(private readonly deps: RouterDependencies) {
    const { store, options, onError } = deps;
    const onLost = (partition: number): void => {
      this.onLost(partition);
    };
    this.budget = new MemoryBudget(options.budgetBytes);
    this.leases = new Leases(store, options.leaseMs, onLost, onError);
    this.committer = new Committer(store, this.budget, options, onLost, onError);
    this.destinations = deps.destinations(this.picture);
    const suppressions = new Suppressions(this.picture, deps.keyedHash);
    this.stored = new StoredDeliveries(store, this.routes, suppressions);
    this.erasure = new Erasure(this.picture, suppressions, store, options.requestTimeoutMs);
    this.results = new FunctionResults(this.budget);
    this.functions = new Functions(this.results, (delivery) => this.stored.isDeleted(delivery), {
      functions: deps.functions,
      backoff: {
        backoffBaseMs: options.backoffBaseMs,
        backoffCapMs: Math.min(SANDBOX_BACKOFF_CAP_MS, options.backoffCapMs),
      },
      onError,
    });
    this.intake = new EventIntake({
      picture: this.picture,
      suppressions,
      routes: this.routes,
      seen: new SeenMessages(store),
      budget: this.budget,
      lane: (connection) => this.lane(connection),
      labelOf: deps.labelOf,
      onError,
    });
  }

  /** Resolves when the configuration is known and the router has joined its group. */
  async start(): Promise<void> {
    const { log, store, onError } = this.deps;
    await store.prepare();
    this.configuration = await log.follow({
      topic: TOPIC.configurationState,
      onBatch: (_, records) => {
        for (const record of records) this.picture.take(record);
        return Promise.resolve();
      },
    });
    await this.configuration.caughtUp();
    this.leases.start();
    this.every(SPILL_CHECK_MS, () => {
      const nowMs = Date.now();
      for (const lane of this.lanes.values()) lane.spillOverdue(nowMs);
    });
    this.every(SWEEP_MS, () => {
      store.sweep().catch(onError);
    });
    this.every(ERASE_MS, () => {
      this.erasure.run().catch(onError);
    });
    this.every(SHOW_POSITION_MS, () => {
      this.showPositions().catch(onError);
    });
    this.subscription = await this.subscribe();
  }

  /** Finishes what is in flight, commits, hands its partitions over. */
  async stop(): Promise<void> {
    this.isStopping = true;
    await this.resubscribing;
    await this.subscription?.stop();
    for (const timer of this.timers) clearInterval(timer);
    await this.onRevoked([...this.assigned]);
    await this.leases.stop();
    this.committer.stop();
    this.functions.stop();
    for (const lane of this.lanes.values()) lane.stop();
    await this.configuration?.stop();
  }

  /** Bytes of events in memory. */
  get bytesInMemory(): number {
    return this.budget.used;
  }

  /** Deliveries in memory, by destination. */
  get lengths(): ReadonlyMap<ConnectionId, number> {
    return new Map([...this.lanes].map(([connection, lane]) => [connection, lane.length]));
  }

  private subscribe(): Promise<Subscription> {
    return this.deps.log.subscribe({
      topic: TOPIC.events,
      group: GROUP,
      onAssigned: (partitions) => this.onAssigned(partitions),
      onRevoked: (partitions) => this.onRevoked(partitions),
      onBatch: (partition, records, leaving) => this.onBatch(partition, records, leaving),
    });
  }

  /** For lag monitors; the position that counts is in the store. */
  private async showPositions(): Promise<void> {
    for (const { number, next } of this.partitions.values())
      await this.subscription?.commit(number, next);
  }

  private every(periodMs: number, work: () => void): void {
    this.timers.push(setInterval(work, periodMs));
  }

  private lane(connection: ConnectionId): Lane {
    const known = this.lanes.get(connection);
    if (known !== undefined) return known;
    const lane = new Lane(connection, {
      options: this.deps.options,
      destinations: this.destinations,
      http: this.deps.http,
      stored: this.stored,
      functions: this.functions,
      results: this.results,
      holds: (partition) => this.leases.holds(partition),
      onError: this.deps.onError,
    });
    this.lanes.set(connection, lane);
    return lane;
  }

  /**
   * Says where reading starts without waiting for the leases: an earlier owner may still move on, but never
   * back, and what it finishes is left out once the lease is ours.
   */
  private async onAssigned(partitions: readonly number[]): Promise<ReadonlyMap<number, number>> {
    const progress = await this.deps.store.progress(partitions);
    for (const each of partitions) {
      this.assigned.add(each);
      this.owned(each).catch((error: unknown) => {
        if (!(error instanceof Revoked)) this.deps.onError(error);
      });
    }
    return new Map([...progress].map(([partition, { next }]) => [partition, next]));
  }

  private async onRevoked(partitions: readonly number[]): Promise<void> {
    for (const each of partitions) this.assigned.delete(each);
    const owned = partitions.flatMap((each) => this.partitions.get(each) ?? []);
    const grace = AbortSignal.timeout(this.deps.options.revokeGraceMs);
    await Promise.all(owned.map((each) => this.handOver(each, grace)));
  }

  private async handOver(partition: Partition, grace: AbortSignal): Promise<void> {
    const { number } = partition;
    const isQuiet = await unlessAborted(grace, partition.quiesce()).then(
      () => true,
      () => false,
    );
    const isCommitted = await this.insist(grace, () => this.committer.flush());
    this.lose(number);
    const isReleased =
      isQuiet && isCommitted && (await this.insist(grace, () => this.leases.release(number)));
    if (!isReleased) this.leases.forget(number);
  }

  /** Tries until it is done or the grace is over, once at least. @returns whether it is done. */
  private async insist(grace: AbortSignal, work: () => Promise<void>): Promise<boolean> {
    for (;;) {
      try {
        await work();
        return true;
      } catch (error) {
        this.deps.onError(error);
      }
      if (grace.aborted) return false;
      await sleep(INSIST_PAUSE_MS);
    }
  }

  /**
   * Another owner has the partition although it is assigned to us. What was in flight is dropped, so reading has
   * to start again at the store's position: with a new subscription.
   */
  private onLost(number: number): void {
    this.lose(number);
    this.resubscribing ??= this.resubscribe()
      .catch(this.deps.onError)
      .finally(() => (this.resubscribing = undefined));
  }

  private async resubscribe(): Promise<void> {
    await this.subscription?.stop();
    this.subscription = undefined;
    while (!this.isStopping && this.subscription === undefined)
      try {
        this.subscription = await this.subscribe();
      } catch (error) {
        this.deps.onError(error);
        await sleep(ACQUIRE_PAUSE_MS);
      }
  }

  /** Nothing of the partition counts any more. */
  private lose(number: number): void {
    const partition = this.partitions.get(number);
    if (partition === undefined) return;
    partition.lose();
    this.budget.release(partition.bytes);
    this.partitions.delete(number);
    this.committer.unwatch(partition);
    for (const lane of this.lanes.values()) lane.drop(partition);
  }

  private async onBatch(
    number: number,
    records: readonly LogRecord[],
    leaving: AbortSignal,
  ): Promise<void> {
    const partition = await unlessAborted(leaving, this.owned(number));
    await this.intake.take(partition, records, leaving);
  }

  /** The partition under our lease; waits for the lease as long as the partition is assigned. */
  private owned(number: number): Promise<Partition> {
    const partition = this.partitions.get(number);
    if (partition !== undefined) return Promise.resolve(partition);
    const taking =
      this.taking.get(number) ?? this.takeUp(number).finally(() => this.taking.delete(number));
    this.taking.set(number, taking);
    return taking;
  }

  private async takeUp(number: number): Promise<Partition> {
    for (;;) {
      if (!this.assigned.has(number)) throw new Revoked(`partition ${String(number)} was revoked`);
      const [grant] = await this.leases.acquire([number]);
      if (grant !== undefined) return this.restore(grant);
      await sleep(ACQUIRE_PAUSE_MS);
    }
  }

  private async restore({ partition: number, epoch }: LeaseGrant): Promise<Partition> {
    const { store } = this.deps;
    const progress = (await store.progress([number])).get(number) ?? { next: 0, beyond: [] };
    const waiting = await store.waitingKeys(number);
    const partition = new Partition(number, epoch, progress, () => {
      this.committer.changed();
    });
    this.partitions.set(number, partition);
    this.committer.watch(partition);
    for (const key of waiting) this.lane(key.lane).restore(partition, key);
    return partition;
  }
}
