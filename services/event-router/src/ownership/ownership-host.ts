import type { LeaseGrant, PartitionProgress } from '../store/router-store';

/** Works on the partitions that this process has leased: the engine, which routes and sends. */
export abstract class OwnershipHost {
  /**
   * Resumes the partition from its progress. The lease is valid when this is called; `Ownership.holds` returns whether
   * it still is.
   *
   * @param signal aborts when the partition is revoked or lost meanwhile, or the call takes too long: settle soon then.
   * @throws any error: the partition is released and claimed again after a pause.
   */
  abstract take(grant: LeaseGrant, progress: PartitionProgress, signal: AbortSignal): Promise<void>;

  /**
   * Hands the partition over: stops reading and sending, lets requests in flight end until the deadline, aborts the
   * others, commits. The lease is released afterwards.
   *
   * @param deadline aborts when there is no more time for requests, and when the lease is lost meanwhile.
   */
  abstract leave(partition: number, deadline: AbortSignal): Promise<void>;

  /**
   * The lease is lost, about to lapse or given up: aborts the requests and discards everything of the partition before
   * it returns. May be called at any time after `take` was called, also while `take` or `leave` runs. A `take` with a
   * higher epoch may follow.
   */
  abstract lost(partition: number): void;
}
