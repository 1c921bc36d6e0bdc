import type { TokensGiven, TokensWanted } from '@penstock/rates';
import { randomUUID } from 'node:crypto';
import type { PipelineId } from '@penstock/contracts';
import type { DestinationId, LaneId } from '../lane-id';
import type { BodyKey, DeliveryKey, PartitionChanges, StoredDelivery } from '../changes';
import { cleanChanges } from '../clean-changes';
import { cleanText } from '../clean-text';
import {
  type CheckedPipeline,
  type KeptBody,
  type LaneRecord,
  type LeaseGrant,
  LeaseLost,
  type Observation,
  type PartitionProgress,
  type RecordedLog,
  type Relayed,
  type Roll,
  RouterStore,
  type UnrelayedOutcomes,
} from '../router-store';
import { AUDIENCE_DAYS } from '../referred-audiences';
import type { RouterStoreOptions } from '../router-store-options';
import { beginAnewInMemory, recordLogInMemory } from './log';
import { commitInMemory, refusedInMemory } from './memory-commit';
import type { MemoryDatabase } from './memory-database';
import { MemoryAlerts } from './memory-alerts';
import { MemoryDeliveries } from './memory-deliveries';
import { MemoryJobs } from './memory-jobs';
import { MemoryLanes } from './memory-lanes';
import { MemoryLeases } from './memory-leases';
import { MemoryRedrives } from './memory-redrives';
import { MemoryReplayDeliveries } from './memory-replay-deliveries';
import { rollUpInMemory } from './memory-roll-up';
import { unbalancedInMemory } from './unbalanced';

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

const DEFAULTS = {
  leaseMs: 10_000,
  duplicateWindowHours: 24,
  deadLetterDays: 14,
  outcomeDays: 30,
};

const keyOf = ({ subject, id }: Observation): string => `${subject} ${id}`;

/** Runs the work at once; an error becomes a rejection. */
const done = <T>(work: () => T): Promise<T> =>
  new Promise((resolve) => {
    resolve(work());
  });

/** A store of one process over a {@link MemoryDatabase}: fulfils the contract, except for durability. For tests. */
export class MemoryRouterStore extends RouterStore {
  override readonly member: string;
  override readonly jobs: MemoryJobs;
  override readonly redrives: MemoryRedrives;
  override readonly alerts: MemoryAlerts;
  override readonly replays: MemoryReplayDeliveries;
  private readonly options: Omit<RouterStoreOptions, 'memberId'>;
  private readonly leases: MemoryLeases;
  private readonly knownLanes: MemoryLanes;
  private readonly deliveries: MemoryDeliveries;

  constructor(
    private readonly database: MemoryDatabase,
    { memberId = randomUUID(), ...options }: Partial<RouterStoreOptions> = {},
  ) {
    super();
    this.member = memberId;
    this.options = { ...DEFAULTS, ...options };
    this.leases = new MemoryLeases(database, memberId, this.options.leaseMs);
    this.jobs = new MemoryJobs(database);
    this.redrives = new MemoryRedrives(database);
    this.alerts = new MemoryAlerts(database);
    this.replays = new MemoryReplayDeliveries(database);
    this.knownLanes = new MemoryLanes(database, this.options.outcomeDays);
    this.deliveries = new MemoryDeliveries(database);
  }

  override prepare(): Promise<void> {
    return Promise.resolve();
  }

  override log(identity: string): Promise<RecordedLog> {
    return done(() => recordLogInMemory(this.database, identity));
  }

  override beginAnew(
    before: RecordedLog,
    identity: string,
    routed: readonly number[],
  ): Promise<boolean> {
    return done(() => beginAnewInMemory(this.database, before, identity, routed));
  }

  override beat(partitions: number): Promise<Roll> {
    return done(() => this.leases.beat(partitions));
  }

  override leave(): Promise<void> {
    return done(() => {
      this.database.members.delete(this.member);
    });
  }

  override acquire(partitions: readonly number[]): Promise<readonly LeaseGrant[]> {
    return done(() => this.leases.acquire(partitions));
  }

  override renew(grants: readonly LeaseGrant[]): Promise<readonly number[]> {
    return done(() => this.leases.renew(grants));
  }

  override release(grants: readonly LeaseGrant[]): Promise<void> {
    return done(() => {
      this.leases.release(grants);
    });
  }

  override restore(grant: LeaseGrant): Promise<PartitionProgress> {
    return done(() => {
      if (!this.leases.isHeld(grant)) throw new LeaseLost(grant.partition);
      return this.database.partition(grant.partition).progress;
    });
  }

  override commit(changes: readonly PartitionChanges[]): Promise<readonly number[]> {
    return done(() => commitInMemory(this.database, changes.map(cleanChanges)));
  }

  override refusedRows(changes: PartitionChanges): Promise<readonly DeliveryKey[]> {
    return done(() => refusedInMemory(this.database, cleanChanges(changes)));
  }

  override waiting(
    partition: number,
    lane: DestinationId,
    orderKey: string,
    after: DeliveryKey | null,
    limits: { readonly rows: number; readonly maxBytes: number },
  ): Promise<readonly StoredDelivery[]> {
    return done(() => this.deliveries.waiting(partition, lane, orderKey, after, limits));
  }

  override seen(hashes: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return done(() => {
      const oldestMs = this.database.nowMs() - this.options.duplicateWindowHours * HOUR_MS;
      return this.database.seen(hashes, oldestMs);
    });
  }

  /** A store in memory is never older than the process. */
  override get hasFormerIds(): boolean {
    return false;
  }

  override lanes(): Promise<readonly LaneRecord[]> {
    return done(() => this.knownLanes.list());
  }

  override pause(lane: LaneId, version: number, fromMs: number, reason: string): Promise<void> {
    return done(() => {
      this.knownLanes.pause(lane, version, fromMs, cleanText(reason));
    });
  }

  override resume(...resumed: Parameters<RouterStore['resume']>): Promise<void> {
    return done(() => {
      this.knownLanes.resume(...resumed);
    });
  }

  override observe(observations: readonly Observation[]): Promise<void> {
    return done(() => {
      this.database.observations.set(this.member, observations);
    });
  }

  override observations(): Promise<readonly Observation[] | undefined> {
    return done(() => {
      const members = this.leases.living();
      if (members[0] !== this.member) return undefined;
      return members
        .flatMap((member) => this.database.observations.get(member) ?? [])
        .sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : keyOf(one) > keyOf(other) ? 1 : 0));
    });
  }

  override takeTokens(wanted: TokensWanted): Promise<TokensGiven> {
    return done(() => this.knownLanes.takeTokens(wanted));
  }

  override keptBodies(after: BodyKey, limit: number): Promise<readonly KeptBody[]> {
    return done(() => this.deliveries.keptBodies(after, limit));
  }

  override erase(keys: readonly BodyKey[]): Promise<void> {
    return done(() => {
      this.deliveries.erase(keys);
    });
  }

  override unrelayed(
    partitions: readonly number[],
    limits: { readonly rows: number; readonly maxBytes: number },
  ): Promise<UnrelayedOutcomes> {
    return done(() => this.database.outcomeRows.unrelayed(partitions, limits));
  }

  override markRelayed(relayed: readonly Relayed[]): Promise<void> {
    return done(() => {
      for (const each of relayed)
        if (this.leases.isHeld(each)) this.database.outcomeRows.markRelayed(each);
    });
  }

  override unbalanced(pipelines: readonly CheckedPipeline[]): Promise<readonly PipelineId[]> {
    return done(() => unbalancedInMemory(this.database, pipelines));
  }

  override noteWaiting(grant: LeaseGrant, since: ReadonlyMap<string, number>): Promise<void> {
    return done(() => {
      if (this.leases.isHeld(grant)) this.database.waiting.set(grant.partition, since);
    });
  }

  override rollUp(rows: number): Promise<boolean> {
    return done(() => rollUpInMemory(this.database, rows));
  }

  override sweep(): Promise<void> {
    return done(() => {
      const nowMs = this.database.nowMs();
      const { deadLetterDays, duplicateWindowHours, outcomeDays } = this.options;
      this.leases.sweep();
      const { members, observations } = this.database;
      for (const member of observations.keys())
        if (!members.has(member)) observations.delete(member);
      this.deliveries.sweep(nowMs - deadLetterDays * DAY_MS);
      this.alerts.sweep(nowMs - deadLetterDays * DAY_MS);
      this.database.sweep({
        audiencesMs: nowMs - AUDIENCE_DAYS * DAY_MS,
        messagesMs: nowMs - duplicateWindowHours * HOUR_MS,
        unreadableMs: nowMs - deadLetterDays * DAY_MS,
        outcomesMs: nowMs - outcomeDays * DAY_MS,
      });
    });
  }

  override ping(): Promise<void> {
    return Promise.resolve();
  }
}
