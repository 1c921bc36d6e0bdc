import type { CommitPlace, ConnectionId } from '@penstock/contracts';
import type {
  Cursor,
  DeliveryKey,
  OpenDelivery,
  OutcomeRecord,
  PartitionChanges,
  RecordMark,
  Repeat,
  StoredDelivery,
} from './changes';

/** A lease on a partition, as the store knows it. */
export interface LeaseGrant {
  readonly partition: number;
  /** Higher than that of any owner before. */
  readonly epoch: number;
}

/** How the store sees one partition's lease. */
export interface LeaseView {
  readonly partition: number;
  /** The member that holds it; `null`: it was released, or never taken. */
  readonly member: string | null;
  /** It can be acquired now: released, its owner known to be dead, or lapsed for longer than the safety margin. */
  readonly isFree: boolean;
}

/** Who shares the partitions, and who holds which. */
export interface Roll {
  /** Ids of the members that were heard of lately, the eldest first; oneself included. */
  readonly members: readonly string[];
  readonly leases: readonly LeaseView[];
}

/** An order key of a lane whose deliveries wait in the store. */
export interface WaitingKey {
  readonly lane: ConnectionId;
  readonly orderKey: string;
  readonly rows: number;
  /** Of its first row. */
  readonly attempts: number;
  readonly dueMs: number;
}

/** Offsets from `start` to before `end`. */
export interface OffsetRange {
  readonly start: number;
  readonly end: number;
}

/** How far a partition is routed, and by what the log is known again. */
interface RoutedPartition {
  readonly partition: number;
  readonly routed: number;
  readonly mark: RecordMark | null;
}

/** The log that the progress is of. */
export interface RecordedLog {
  /** As the first router of the installation recorded it. */
  readonly identity: string;
  /** Those that were ever taken, in order. */
  readonly partitions: readonly RoutedPartition[];
}

/** Where a partition stands, as its last commit left it. */
export interface PartitionProgress {
  /** Of the last commit; 0: there was none. */
  readonly sequence: number;
  readonly routed: number;
  readonly mark: RecordMark | null;
  /** By offset, then in the order in which they were opened. */
  readonly open: readonly OpenDelivery[];
  readonly cursors: readonly Cursor[];
  readonly repeats: readonly Repeat[];
  readonly waiting: readonly WaitingKey[];
  /**
   * Offsets at or above `routed` whose events have ended for every pipeline: they are passed by, and nothing of them is
   * counted. In order. Only routers before the tables of version 2 finished events in this way, so it is empty for good
   * once `routed` has passed them.
   */
  readonly finishedBeyond: readonly OffsetRange[];
  /**
   * Deliveries at or above `routed` that had a row, waiting or kept, before the tables were of version 2: they are
   * neither opened nor counted again when their event is routed, while the event counts for its audience. By offset
   * and pipeline; those within `finishedBeyond` are left out. Empty for good once `routed` has passed them.
   */
  readonly storedBeyond: readonly DeliveryKey[];
}

/** Where an event stands in the log. */
export interface BodyKey {
  readonly partition: number;
  readonly offset: number;
}

export interface KeptBody extends BodyKey {
  /** The message's value as it stands in the log. */
  readonly body: string;
}

/** A stretch of time in which a lane was paused. Milliseconds since 1970. */
export interface Pause {
  readonly fromMs: number;
  /** `null`: it is paused now. */
  readonly toMs: number | null;
}

/** What all routers know of a lane. */
export interface LaneRecord {
  readonly lane: ConnectionId;
  /** In order; those that ended before the oldest event are left out. */
  readonly pauses: readonly Pause[];
  /** Why it is paused: for people, holds no secret; empty when it is not. */
  readonly reason: string;
  /** The version of the connection with which it was paused: a newer one ends the pause. */
  readonly version: number;
}

/** Tokens for requests, taken from what all processes share. */
export interface TokensWanted {
  readonly lane: ConnectionId;
  readonly ratePerSecond: number;
  readonly burst: number;
  /** At least 1. */
  readonly count: number;
}

export interface TokensGiven {
  /** 0 to `count`. */
  readonly count: number;
  /** Milliseconds until there may be more, when fewer were given than wanted. */
  readonly waitMs: number;
}

/** How deliveries ended with one commit. */
export interface CommittedOutcomes extends CommitPlace {
  /** Days since 1970, by the store's clock: with this in hand it finds what follows at little cost. */
  readonly day: number;
  readonly outcomes: readonly OutcomeRecord[];
}

/** Outcomes that are not known to be on the log. */
export interface UnrelayedOutcomes {
  /** Those of a partition in the order of their commits, the first ones of each. */
  readonly commits: readonly CommittedOutcomes[];
  /** There are no more. */
  readonly isAll: boolean;
}

/** All outcomes of the partition up to a commit are on the log; says its present owner. */
export interface Relayed extends LeaseGrant {
  readonly to: Pick<CommittedOutcomes, 'epoch' | 'sequence' | 'day'>;
}

/** Another owner has taken the partition. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
  constructor(readonly partition: number) {
    super(`partition ${String(partition)} has another owner`);
  }
}

/** The database refuses what was to be written, and would again: SQLSTATE classes 22, 23 and 54. Nothing was written. */
export class CommitRefused extends Error {
  override readonly name = 'CommitRefused';
}

/** What the routers of an installation remember, durably. All calls reject while the database is away. */
export abstract class RouterStore {
  /** Brings the tables to the present version. */
  abstract prepare(): Promise<void>;

  /** Whose events the progress is of. @param identity recorded when there is none yet. */
  abstract log(identity: string): Promise<RecordedLog>;

  /**
   * Forgets where the partitions stand, for a log that begins anew: open deliveries and cursors too, and each partition
   * goes on from its `routed`, or from 0. Raises all epochs; leases stay. Counters stay, and what was open, or owed to a
   * key, is counted as `Parked`, code `Expired`; what was open also has an outcome of sequence 0 under the new epoch.
   * Waiting deliveries and dead letters stay, with offsets below 0 in the order in which they were, since the new log has
   * other events at their offsets.
   *
   * @param before what {@link log} gave: nothing is forgotten when it is otherwise by now, since another router may have
   *   begun anew already.
   * @returns whether it began anew.
   */
  abstract beginAnew(
    before: RecordedLog,
    identity: string,
    routed: readonly number[],
  ): Promise<boolean>;

  /** Says that this member lives, and tells who else does; `partitions` is how many there are. */
  abstract beat(partitions: number): Promise<Roll>;

  /** This member is gone; what it holds is to be released before. */
  abstract leave(): Promise<void>;

  /** The id of this member in {@link Roll}. */
  abstract get member(): string;

  /** Takes those of the partitions that are free, or were this member's own. */
  abstract acquire(partitions: readonly number[]): Promise<readonly LeaseGrant[]>;

  /** @returns the partitions of which the epoch is still ours, lapsed or not; they hold for another lease. */
  abstract renew(grants: readonly LeaseGrant[]): Promise<readonly number[]>;

  /** Lets a successor in at once. Harmless when the lease was lost. */
  abstract release(grants: readonly LeaseGrant[]): Promise<void>;

  /** @throws LeaseLost */
  abstract restore(grant: LeaseGrant): Promise<PartitionProgress>;

  /**
   * All or nothing, each partition's changes once: what was applied before under the same epoch and sequence is left
   * out, so that a commit of which the outcome is not known can be repeated.
   *
   * @returns the partitions that have another owner by now; nothing of them was written, everything of the others.
   * @throws CommitRefused
   */
  abstract commit(changes: readonly PartitionChanges[]): Promise<readonly number[]>;

  /** Tries each stored row of the changes by itself and undoes it. @returns those that the database refuses. */
  abstract refusedRows(changes: PartitionChanges): Promise<readonly DeliveryKey[]>;

  /** The waiting deliveries of a key behind `after`, in order, at most `limit` rows and about `maxBytes` of bodies. */
  abstract waiting(
    partition: number,
    lane: ConnectionId,
    orderKey: string,
    after: DeliveryKey | null,
    limits: { readonly rows: number; readonly maxBytes: number },
  ): Promise<readonly StoredDelivery[]>;

  /** Body digests of those of the message hashes that were seen within the window. */
  abstract seen(hashes: readonly string[]): Promise<ReadonlyMap<string, string>>;

  /** All lanes that are, or were lately, paused. */
  abstract lanes(): Promise<readonly LaneRecord[]>;

  /** Pauses a lane unless it is paused. @param fromMs milliseconds since 1970. */
  abstract pause(
    lane: ConnectionId,
    version: number,
    fromMs: number,
    reason: string,
  ): Promise<void>;

  /** Ends the pause of a lane, if it is paused. */
  abstract resume(lane: ConnectionId, toMs: number): Promise<void>;

  /** By the database's clock, so that all processes together keep to the rate. */
  abstract takeTokens(wanted: TokensWanted): Promise<TokensGiven>;

  /** Bodies of what has ended badly behind `after`, in order, at most `limit`: what is kept without being delivered. */
  abstract keptBodies(after: BodyKey, limit: number): Promise<readonly KeptBody[]>;

  /** Forgets what has ended badly of these events; a body goes with the last of its deliveries. */
  abstract erase(keys: readonly BodyKey[]): Promise<void>;

  /**
   * What ended behind the last commit of which {@link markRelayed} was told, or from the oldest outcome kept; of each
   * partition at most `rows` commits, of all together about `maxBytes`, but always the first commit.
   */
  abstract unrelayed(
    partitions: readonly number[],
    limits: { readonly rows: number; readonly maxBytes: number },
  ): Promise<UnrelayedOutcomes>;

  /** Notes what is on the log. A partition that has another owner is left out; nothing is ever taken back. */
  abstract markRelayed(relayed: readonly Relayed[]): Promise<void>;

  /** Drops message ids, dead letters, outcomes and members whose time is over. */
  abstract sweep(): Promise<void>;

  /** For readiness: rejects when the database does not answer. */
  abstract ping(): Promise<void>;
}
