import type { JobId } from '@penstock/contracts';
import type { OpenReplayed } from './changes';
import type { EndedJobState, NewJob } from './jobs/job';
import type { OffsetRange } from './router-store';

/** Why a replay has failed when the log was replaced. */
export const LOG_REPLACED = 'the log was replaced, and with it the events of the replay';

/** A replay that delivers, before it is recorded. */
export interface NewReplay extends NewJob {
  readonly kind: 'DeliveringReplay';
}

/** What is left of a replay that delivers, in one partition. */
export interface ReplayRest {
  /** Its window. */
  readonly window: OffsetRange;
  /** The next offset to read. */
  readonly position: number;
  /** In the order of their offsets. */
  readonly open: readonly OpenReplayed[];
  /** Number of failures that are kept. */
  readonly failures: number;
}

/**
 * The replays that deliver, and their open deliveries, which the owners of partitions work on and write with their commits.
 * All calls reject while the database is unavailable.
 */
export abstract class ReplayDeliveryStore {
  /**
   * Records a replay, as `Running`.
   *
   * @param windows by partition.
   * @returns the id of the replay, or of the one that the same command has created; undefined: another replay of the
   *   pipeline has not ended.
   */
  abstract create(replay: NewReplay, windows: readonly OffsetRange[]): Promise<JobId | undefined>;

  /** What is left in a partition; undefined: the replay has nothing there, or does not run. */
  abstract rest(id: JobId, partition: number): Promise<ReplayRest | undefined>;

  /**
   * Lets a replay end as soon as no router is at work on it. No effect on one that is ending or has ended.
   *
   * @param reason for people; empty: a client has cancelled it.
   */
  abstract stop(id: JobId, as: Exclude<EndedJobState, 'Succeeded'>, reason: string): Promise<void>;

  /**
   * Ends the replays that have read their windows and have no open delivery, as `Succeeded`, and those that were stopped and
   * that no owner of a partition works on any more; their open deliveries are counted as `left`.
   */
  abstract endDone(): Promise<void>;
}
