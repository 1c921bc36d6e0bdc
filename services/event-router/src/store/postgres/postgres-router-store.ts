import { SharedRates, type TokensGiven, type TokensWanted } from '@penstock/rates';
import { randomUUID } from 'node:crypto';
import type { PipelineId } from '@penstock/contracts';
import type { Pool } from 'pg';
import type { DestinationId, LaneId } from '../lane-id';
import type { BodyKey, DeliveryKey, PartitionChanges, StoredDelivery } from '../changes';
import { thisOwner } from '../owner';
import {
  type CheckedPipeline,
  type KeptBody,
  type LaneRecord,
  type LeaseGrant,
  type Observation,
  type PartitionProgress,
  type RecordedLog,
  type Relayed,
  type Roll,
  RouterStore,
  type UnrelayedOutcomes,
} from '../router-store';
import type { RouterStoreOptions } from '../router-store-options';
import { PostgresAlerts } from './alerts/alerts';
import { Audiences } from './commit/audiences';
import { Commits } from './commit/commits';
import { refusedRows } from './commit/refused-rows';
import { PostgresJobs } from './jobs';
import { Lanes } from './lanes';
import { Leases } from './leases';
import { beginAnew, recordLog } from './log';
import { Members } from './members';
import { Messages } from './messages';
import { migrate } from './migrations/migrate';
import { noteWaiting } from './note-waiting';
import { Observations } from './observations';
import { Outcomes } from './outcomes';
import { PostgresRedrives } from './redrives/redrives';
import { PostgresReplayDeliveries } from './replay-deliveries';
import { restore } from './restore';
import { rollUp } from './roll-up';
import { Database } from './sql/database';
import { StoredDeliveries } from './stored-deliveries';
import type { TimeSlices } from './time-slices';
import { unbalanced } from './unbalanced';

/** Days for which accesses to values and jobs that have ended are kept, or as long as dead letters, if those are kept longer. */
const ACCESS_DAYS = 365;

/** The router's store in PostgreSQL, schema `penstock_router`. Leases and tokens use the database's clock. */
export class PostgresRouterStore extends RouterStore {
  override readonly member: string;
  override readonly jobs: PostgresJobs;
  override readonly redrives: PostgresRedrives;
  override readonly alerts: PostgresAlerts;
  override readonly replays: PostgresReplayDeliveries;
  private readonly database: Database;
  private readonly leases: Leases;
  private readonly members: Members;
  private readonly rates: SharedRates;
  private readonly messages: Messages;
  private readonly outcomes: Outcomes;
  private readonly audiences: Audiences;
  private readonly commits: Commits;
  private readonly deliveries: StoredDeliveries;
  private readonly knownLanes: Lanes;
  private readonly observed: Observations;
  private readonly slices: readonly TimeSlices[];
  private formerIds = false;

  /** @param pool its owner must handle the `error` events of idle connections. */
  constructor(
    pool: Pool,
    private readonly options: RouterStoreOptions,
  ) {
    super();
    const { leaseMs, duplicateWindowHours, outcomeDays, memberId = randomUUID() } = options;
    this.member = memberId;
    const me = { member: memberId, process: thisOwner() };
    this.database = new Database(pool);
    this.rates = new SharedRates(this.database);
    this.leases = new Leases(this.database, me, leaseMs);
    this.members = new Members(this.database, me, leaseMs);
    this.messages = new Messages(this.database, duplicateWindowHours);
    this.outcomes = new Outcomes(this.database, outcomeDays);
    const { messages, outcomes } = this;
    this.slices = [messages, outcomes].flatMap(({ slices, followed }) => [slices, ...followed]);
    this.audiences = new Audiences(this.database);
    this.commits = new Commits(this.database, () => this.makeSlices());
    this.deliveries = new StoredDeliveries(this.database);
    this.jobs = new PostgresJobs(this.database);
    this.redrives = new PostgresRedrives(this.database);
    this.alerts = new PostgresAlerts(this.database);
    this.replays = new PostgresReplayDeliveries(this.database);
    this.knownLanes = new Lanes(this.database, outcomeDays);
    this.observed = new Observations(this.database, this.members, memberId);
  }

  override async prepare(): Promise<void> {
    await migrate(this.database);
    await this.rates.prepare();
    await this.makeSlices();
    this.formerIds = await this.messages.lookForFormer();
  }

  override log(identity: string): Promise<RecordedLog> {
    return recordLog(this.database, identity);
  }

  override beginAnew(
    before: RecordedLog,
    identity: string,
    routed: readonly number[],
  ): Promise<boolean> {
    return beginAnew(this.database, before, identity, routed);
  }

  override async beat(partitions: number): Promise<Roll> {
    const members = await this.members.beat();
    return { members, leases: await this.leases.views(partitions) };
  }

  override leave(): Promise<void> {
    return this.members.leave();
  }

  override acquire(partitions: readonly number[]): Promise<readonly LeaseGrant[]> {
    return this.leases.acquire(partitions);
  }

  override renew(grants: readonly LeaseGrant[]): Promise<readonly number[]> {
    return this.leases.renew(grants);
  }

  override release(grants: readonly LeaseGrant[]): Promise<void> {
    return this.leases.release(grants);
  }

  override restore(grant: LeaseGrant): Promise<PartitionProgress> {
    return restore(this.database, grant);
  }

  override commit(changes: readonly PartitionChanges[]): Promise<readonly number[]> {
    return this.commits.commit(changes);
  }

  override refusedRows(changes: PartitionChanges): Promise<readonly DeliveryKey[]> {
    return refusedRows(this.database, changes);
  }

  override waiting(
    partition: number,
    lane: DestinationId,
    orderKey: string,
    after: DeliveryKey | null,
    limits: { readonly rows: number; readonly maxBytes: number },
  ): Promise<readonly StoredDelivery[]> {
    return this.deliveries.waiting(partition, lane, orderKey, after, limits);
  }

  override seen(hashes: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return this.messages.seen(hashes);
  }

  override get hasFormerIds(): boolean {
    return this.formerIds;
  }

  override lanes(): Promise<readonly LaneRecord[]> {
    return this.knownLanes.list();
  }

  override pause(lane: LaneId, version: number, fromMs: number, reason: string): Promise<void> {
    return this.knownLanes.pause(lane, version, fromMs, reason);
  }

  override resume(...resumed: Parameters<RouterStore['resume']>): Promise<void> {
    return this.knownLanes.resume(...resumed);
  }

  override observe(observations: readonly Observation[]): Promise<void> {
    return this.observed.replace(observations);
  }

  override observations(): Promise<readonly Observation[] | undefined> {
    return this.observed.toReport();
  }

  override takeTokens(wanted: TokensWanted): Promise<TokensGiven> {
    return this.rates.take(wanted);
  }

  override keptBodies(after: BodyKey, limit: number): Promise<readonly KeptBody[]> {
    return this.deliveries.keptBodies(after, limit);
  }

  override erase(keys: readonly BodyKey[]): Promise<void> {
    return this.deliveries.erase(keys);
  }

  override unrelayed(
    partitions: readonly number[],
    limits: { readonly rows: number; readonly maxBytes: number },
  ): Promise<UnrelayedOutcomes> {
    return this.outcomes.unrelayed(partitions, limits);
  }

  override markRelayed(relayed: readonly Relayed[]): Promise<void> {
    return this.outcomes.markRelayed(relayed);
  }

  override unbalanced(pipelines: readonly CheckedPipeline[]): Promise<readonly PipelineId[]> {
    return unbalanced(this.database, pipelines);
  }

  override noteWaiting(grant: LeaseGrant, since: ReadonlyMap<string, number>): Promise<void> {
    return noteWaiting(this.database, grant, since);
  }

  override rollUp(rows: number): Promise<boolean> {
    return rollUp(this.database, rows);
  }

  /** Each step by itself: one that takes too long keeps none of the others from happening. */
  override async sweep(): Promise<void> {
    const failures: unknown[] = [];
    for (const step of this.sweeping())
      await step().catch((error: unknown) => {
        failures.push(error);
      });
    if (failures.length > 1) throw new AggregateError(failures, failures.map(String).join('; '));
    if (failures.length === 1) throw failures[0];
  }

  private sweeping(): readonly (() => Promise<unknown>)[] {
    const { deadLetterDays } = this.options;
    const forget = (table: string, days: number) => () =>
      this.database.rows(
        `DELETE FROM penstock_router.${table} WHERE at < now() - $1 * interval '1 day'`,
        [days],
      );
    const accessDays = Math.max(ACCESS_DAYS, deadLetterDays);
    return [
      () => this.makeSlices(),
      ...this.slices.map((slices) => () => slices.drop()),
      () => this.members.sweep(),
      () => this.observed.sweep(),
      () => this.knownLanes.sweep(),
      forget('unreadable', deadLetterDays),
      forget('accesses', accessDays),
      forget('refused_events', deadLetterDays),
      () => this.alerts.sweep(deadLetterDays),
      () => this.redrives.sweep(accessDays),
      () => this.audiences.sweep(),
      async () => (this.formerIds = await this.messages.lookForFormer()),
      () => this.deliveries.sweep(deadLetterDays),
    ];
  }

  override async ping(): Promise<void> {
    await this.database.rows('SELECT 1');
  }

  private async makeSlices(): Promise<void> {
    for (const slices of this.slices) await slices.make();
  }
}
