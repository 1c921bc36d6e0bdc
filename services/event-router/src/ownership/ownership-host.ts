import type { LeaseGrant, PartitionProgress } from '../store/router-store';

/** What owns partitions once it has a lease on them: the engine that routes and sends. */
export abstract class OwnershipHost {
  /**
   * Goes on where the partition stands. The lease held when this was called; `Ownership.holds` tells whether it still
   * does.
   *
   * @param signal aborts when the partition is revoked or lost meanwhile, or takes too long: settle soon, either way.
   * @throws whatever makes it impossible: the partition is given back and tried again after a pause.
   */
  abstract take(grant: LeaseGrant, progress: PartitionProgress, signal: AbortSignal): Promise<void>;

  /**
   * Leaves the partition in good order: takes nothing more, lets requests in flight end until the deadline, aborts the
   * rest, commits. The lease is released afterwards.
   *
   * @param deadline aborts when there is no more time for requests, and when the lease is lost meanwhile.
   */
  abstract leave(partition: number, deadline: AbortSignal): Promise<void>;

  /**
   * The lease is gone, or about to lapse, or given up: aborts the requests and forgets everything before it returns.
   * May come at any time after `take` was called, also while `take` or `leave` runs. A `take` with a higher epoch may
   * follow.
   */
  abstract lost(partition: number): void;
}
