import type { ConnectionId } from '@penstock/contracts';
import type { OffsetRange } from '../partitions/finished-prefix';
import type { DeliveryKey, PartitionChanges, StoredDelivery } from './changes';

/** A lease on a partition, as the store knows it. */
export interface LeaseGrant {
  readonly partition: number;
  readonly epoch: number;
}

/** Where a partition stands. */
export interface PartitionProgress {
  readonly next: number;
  readonly beyond: readonly OffsetRange[];
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

/** Where an event stands in the log. */
export interface BodyKey {
  readonly partition: number;
  readonly offset: number;
}

export interface KeptBody extends BodyKey {
  /** The message's value as it stands in the log. */
  readonly body: string;
}

/** Another owner has taken the partition: nothing of its changes was written. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
  constructor(readonly partitions: readonly number[]) {
    super(`partitions ${partitions.join(', ')} have another owner`);
  }
}

/** What a router remembers of its partitions, durably. All calls reject while the database is away. */
export abstract class RouterStore {
  /** Makes the tables that are missing. */
  abstract prepare(): Promise<void>;

  /**
   * Takes the partitions that are free, whose owner is known to be dead, or whose lease lapsed longer ago than
   * its requests may last. Each grant has an epoch higher than any before.
   */
  abstract acquire(partitions: readonly number[]): Promise<readonly LeaseGrant[]>;

  /** @returns the partitions that are still this owner's; they hold for another lease. */
  abstract renew(grants: readonly LeaseGrant[]): Promise<readonly number[]>;

  /** Lets a successor in at once. */
  abstract release(grants: readonly LeaseGrant[]): Promise<void>;

  /** Partitions that nobody has worked on stand at 0. */
  abstract progress(partitions: readonly number[]): Promise<ReadonlyMap<number, PartitionProgress>>;

  /** All keys with waiting deliveries of the partition. */
  abstract waitingKeys(partition: number): Promise<readonly WaitingKey[]>;

  /** The waiting deliveries of a key behind `after`, in order, at most `limit`. */
  abstract waiting(
    partition: number,
    lane: ConnectionId,
    orderKey: string,
    after: DeliveryKey | null,
    limit: number,
  ): Promise<readonly StoredDelivery[]>;

  /** Body digests of those of the message hashes that were seen within the window. */
  abstract seen(hashes: readonly string[]): Promise<ReadonlyMap<string, string>>;

  /** @throws LeaseLost naming the partitions; nothing of any partition was written. */
  abstract commit(changes: readonly PartitionChanges[]): Promise<void>;

  /** Bodies of what has ended badly behind `after`, in order, at most `limit`: what is kept without being delivered. */
  abstract keptBodies(after: BodyKey, limit: number): Promise<readonly KeptBody[]>;

  /** Forgets what has ended badly of these events; a body goes with the last of its deliveries. */
  abstract erase(keys: readonly BodyKey[]): Promise<void>;

  /** Drops message ids and dead letters whose time is over. */
  abstract sweep(): Promise<void>;

  /** For readiness: rejects when the database does not answer. */
  abstract ping(): Promise<void>;
}
