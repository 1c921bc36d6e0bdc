import type { TokensGiven, TokensWanted } from '@penstock/rates';
import type {
  CommitPlace,
  ConnectionId,
  HealthCode,
  HealthSubject,
  PipelineId,
  WorkspaceId,
} from '@penstock/contracts';
import type { DestinationId, LaneId } from './lane-id';
import type {
  BodyKey,
  Cursor,
  DeliveryKey,
  OpenDelivery,
  OutcomeRecord,
  PartitionChanges,
  RecordMark,
  StoredDelivery,
} from './changes';
import type { AlertStore } from './alerts/alert-store';
import type { JobStore } from './jobs/job-store';
import type { PackedRepeats } from './packed-repeats';
import type { RedriveStore } from './redrive-store';
import type { ReplayDeliveryStore } from './replay-delivery-store';

/** A granted lease on a partition. */
export interface LeaseGrant {
  readonly partition: number;
  /** Higher than that of any earlier owner. */
  readonly epoch: number;
}

/** The state of one partition's lease in the store. */
export interface LeaseView {
  readonly partition: number;
  /** The member that holds it; `null`: it was released, or never acquired. */
  readonly member: string | null;
  /** Whether it can be acquired: it was released, its owner is dead, or it lapsed longer ago than the margin. */
  readonly isFree: boolean;
}

/** The live members, and the leases of all partitions. */
export interface Roll {
  /** Ids of the members with a recent beat, the oldest member first, this one included. */
  readonly members: readonly string[];
  readonly leases: readonly LeaseView[];
}

/** An order key of a lane whose deliveries wait in the store. */
export interface WaitingKey {
  readonly lane: DestinationId;
  readonly orderKey: string;
  readonly rows: number;
  /** Attempts of its first row. */
  readonly attempts: number;
  readonly dueMs: number;
}

/** Offsets from `start` (inclusive) to `end` (exclusive). */
export interface OffsetRange {
  readonly start: number;
  readonly end: number;
}

/** The progress of a partition, and the mark that identifies its log. */
interface RoutedPartition {
  readonly partition: number;
  readonly routed: number;
  readonly mark: RecordMark | null;
}

/** The log that the stored progress belongs to. */
export interface RecordedLog {
  /** The identity that was recorded first, or with {@link RouterStore.beginAnew}. */
  readonly identity: string;
  /** All partitions that have a row, in order. */
  readonly partitions: readonly RoutedPartition[];
}

/** The progress of a partition after its last commit. */
export interface PartitionProgress {
  /** Sequence of the last commit; 0: there was none. */
  readonly sequence: number;
  readonly routed: number;
  readonly mark: RecordMark | null;
  /** By offset, then in the order in which they were opened. */
  readonly open: readonly OpenDelivery[];
  readonly cursors: readonly Cursor[];
  readonly repeats: PackedRepeats;
  readonly waiting: readonly WaitingKey[];
  /**
   * Offsets at or above `routed` whose events have ended for every pipeline, in order: they are skipped and not
   * counted. Only routers of version 1 of the tables wrote such, so that this stays empty once `routed` has passed
   * them.
   */
  readonly finishedBeyond: readonly OffsetRange[];
  /**
   * Deliveries at or above `routed` that have had a row, waiting or dead letter, since version 1 of the tables, by
   * offset and pipeline, without those within `finishedBeyond`. They are neither opened nor counted again when their
   * event is routed, while the event is counted for its audience. Stays empty once `routed` has passed them.
   */
  readonly storedBeyond: readonly DeliveryKey[];
}

export interface KeptBody extends BodyKey {
  /** The value of the log record. */
  readonly body: string;
}

/** A time in which a lane was paused, in milliseconds since 1970. */
export interface Pause {
  readonly fromMs: number;
  /** `null`: it is paused now. */
  readonly toMs: number | null;
}

/** The state of a lane that all routers share. */
export interface LaneRecord {
  readonly lane: LaneId;
  /** In order, without those that ended before the oldest event; some are joined if there would be too many. */
  readonly pauses: readonly Pause[];
  /** Why it is paused, for operators, without secrets; empty when it is not paused. */
  readonly reason: string;
  /** Version of the connection when it was paused; a newer one ends the pause, and is this then. */
  readonly version: number;
}

/** How well a destination or a pipeline works, as one router has observed it. */
export interface Observation {
  readonly subject: HealthSubject;
  readonly id: ConnectionId | PipelineId;
  /** Empty: it works. */
  readonly code: HealthCode;
  /** Milliseconds since 1970. */
  readonly sinceMs: number;
}

/** The outcomes of one commit. */
export interface CommittedOutcomes extends CommitPlace {
  /** Days since 1970 by the store's clock; limits the slices that are searched for later commits. */
  readonly day: number;
  readonly outcomes: readonly OutcomeRecord[];
}

/** Outcomes that are not marked as relayed. */
export interface UnrelayedOutcomes {
  /** The first commits of each partition, in the order of their sequences. */
  readonly commits: readonly CommittedOutcomes[];
  /** Whether there are no more. */
  readonly isAll: boolean;
}

/** A mark of the partition's current owner: all outcomes up to this commit are on the log. */
export interface Relayed extends LeaseGrant {
  readonly to: Pick<CommittedOutcomes, 'epoch' | 'sequence' | 'day'>;
}

/** A pipeline with its workspace. */
export interface CheckedPipeline {
  readonly pipeline: PipelineId;
  readonly workspace: WorkspaceId;
}

/** Another owner has taken the partition. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
  constructor(readonly partition: number) {
    super(`partition ${String(partition)} has another owner`);
  }
}

/** The database refuses a value, and would refuse it again: SQLSTATE class 22, 23 or 54. Nothing was written. */
export class CommitRefused extends Error {
  override readonly name = 'CommitRefused';
}

/**
 * The database does not have what this commit of a partition follows: it was restored, or has failed over to a replica that was
 * behind. Nothing of the partition was written.
 */
export class CommitsMissing extends Error {
  override readonly name = 'CommitsMissing';

  /** @param last the commit at which the partition stands; undefined: the database does not know it. */
  constructor(partition: number, sequence: number, last: number | undefined) {
    super(
      `partition ${String(partition)} stands at commit ${String(last ?? 'none')}, which commit ${String(sequence)} does not follow`,
    );
  }
}

/** The durable state of an installation's routers. All calls reject while the database is unavailable. */
export abstract class RouterStore {
  /** Migrates the tables to the current version. */
  abstract prepare(): Promise<void>;

  /** The log that the progress belongs to. @param identity recorded when there is none yet. */
  abstract log(identity: string): Promise<RecordedLog>;

  /**
   * Resets the progress of all partitions, open deliveries and cursors included, for another log: each partition begins
   * at its offset in `routed`, or at 0. Raises all epochs; leases are kept. Counters are kept; deliveries that were
   * open, or left to a detached key, are counted as `Parked`, code `Expired`, and open ones get an outcome of sequence
   * 0 under the new epoch. Waiting deliveries and dead letters are kept, with offsets below 0 in the same order, since
   * the new log has other events at their offsets.
   *
   * @param before the result of {@link log}: nothing is changed if it is outdated, since another router may have called
   *   this already.
   * @returns whether the progress was reset.
   */
  abstract beginAnew(
    before: RecordedLog,
    identity: string,
    routed: readonly number[],
  ): Promise<boolean>;

  /** Records that this member is alive. @param partitions their number. @returns the roll. */
  abstract beat(partitions: number): Promise<Roll>;

  /** Removes this member from the roll; its leases must be released before. */
  abstract leave(): Promise<void>;

  /** The id of this member in {@link Roll}. */
  abstract get member(): string;

  /** Acquires those of the partitions that are free or this member's own. */
  abstract acquire(partitions: readonly number[]): Promise<readonly LeaseGrant[]>;

  /** Renews leases. @returns the partitions whose epoch is unchanged, lapsed or not; their leases are valid again. */
  abstract renew(grants: readonly LeaseGrant[]): Promise<readonly number[]>;

  /** Frees partitions for other members at once. Has no effect on lost leases. */
  abstract release(grants: readonly LeaseGrant[]): Promise<void>;

  /** Reads the progress of a partition. @throws LeaseLost */
  abstract restore(grant: LeaseGrant): Promise<PartitionProgress>;

  /**
   * Applies the changes in one transaction. Changes that were applied before under the same epoch and sequence are
   * skipped, so that a commit whose outcome is not known can be repeated. Audiences that counts refer to are written when
   * they are not there, whether they were before or not.
   *
   * @returns the partitions that have another owner; their changes were not written, those of the others were.
   * @throws CommitRefused
   * @throws CommitsMissing
   */
  abstract commit(changes: readonly PartitionChanges[]): Promise<readonly number[]>;

  /** Tries to insert each stored row by itself, without keeping it. @returns the rows that the database refuses. */
  abstract refusedRows(changes: PartitionChanges): Promise<readonly DeliveryKey[]>;

  /**
   * The waiting deliveries of a key after `after`, in order: at most `limits.rows` rows, and about `maxBytes` of
   * bodies.
   */
  abstract waiting(
    partition: number,
    lane: DestinationId,
    orderKey: string,
    after: DeliveryKey | null,
    limits: { readonly rows: number; readonly maxBytes: number },
  ): Promise<readonly StoredDelivery[]>;

  /**
   * Whether the duplicate window may hold ids that routers of the version before have written, by another hash. Known once
   * {@link prepare} has resolved; {@link sweep} looks again.
   */
  abstract get hasFormerIds(): boolean;

  /** Body digests, by hash, of the messages that were seen within the duplicate window. */
  abstract seen(hashes: readonly string[]): Promise<ReadonlyMap<string, string>>;

  /** What routers were asked to do with deliveries. */
  abstract get jobs(): JobStore;

  /** The dead letters that redrives have chosen. */
  abstract get redrives(): RedriveStore;

  /** For which objects the conditions of alerts hold, and their notifications. */
  abstract get alerts(): AlertStore;
  /** The replays that deliver. */
  abstract get replays(): ReplayDeliveryStore;

  /** All lanes that are paused or have recent pauses. */
  abstract lanes(): Promise<readonly LaneRecord[]>;

  /** Pauses a lane; no effect if it is paused. @param fromMs milliseconds since 1970. */
  abstract pause(lane: LaneId, version: number, fromMs: number, reason: string): Promise<void>;

  /** Ends the pause of a lane; no effect if it is not paused. @param version to which its connection was updated. */
  abstract resume(lane: LaneId, toMs: number, version?: number): Promise<void>;

  /** Replaces all that this member has observed. Others see it while this member is on the roll. */
  abstract observe(observations: readonly Observation[]): Promise<void>;

  /**
   * What all members on the roll have observed, by subject and id, in the order of the members.
   *
   * @returns undefined unless this member is the oldest one on the roll: that one alone reports.
   */
  abstract observations(): Promise<readonly Observation[] | undefined>;

  /** Takes tokens by the database's clock, so that all processes together keep to the rate. */
  abstract takeTokens(wanted: TokensWanted): Promise<TokensGiven>;

  /** Bodies of dead letters after `after`, in order, at most `limit`. */
  abstract keptBodies(after: BodyKey, limit: number): Promise<readonly KeptBody[]>;

  /** Removes the dead letters of these events, and each body with the last of its deliveries. */
  abstract erase(keys: readonly BodyKey[]): Promise<void>;

  /**
   * Outcomes after the last commit that {@link markRelayed} has marked, or from the oldest one on: at most `rows`
   * commits of each partition and about `maxBytes` in total, but at least one commit.
   */
  abstract unrelayed(
    partitions: readonly number[],
    limits: { readonly rows: number; readonly maxBytes: number },
  ): Promise<UnrelayedOutcomes>;

  /** Marks outcomes as relayed. Skips partitions that have another owner; never moves a mark back. */
  abstract markRelayed(relayed: readonly Relayed[]): Promise<void>;

  /**
   * Those of the pipelines for which the counts do not say how many deliveries are open: in the change logs, waiting in the store, or
   * left to detached keys. There must be none, at any time.
   */
  abstract unbalanced(pipelines: readonly CheckedPipeline[]): Promise<readonly PipelineId[]>;

  /**
   * Replaces what is noted of waiting events of a partition. No effect for a lost lease.
   *
   * @param since id of a pipeline or destination → milliseconds since 1970 of its oldest event that waits.
   */
  abstract noteWaiting(grant: LeaseGrant, since: ReadonlyMap<string, number>): Promise<void>;

  /**
   * Merges counts of past minutes into longer periods: at most `rows` of each kind in one transaction. Sums do not change. Does
   * nothing while another process is at it.
   *
   * @returns whether there may be more to merge.
   */
  abstract rollUp(rows: number): Promise<boolean>;

  /**
   * Removes message ids, dead letters, notifications, outcomes and members with what they have observed after their retention, and
   * audiences that no counts refer to two days after they were written.
   */
  abstract sweep(): Promise<void>;

  /** Rejects when the database does not answer. */
  abstract ping(): Promise<void>;
}
