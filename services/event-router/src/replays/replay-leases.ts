import type { Checkpoint, LeasedReplay, ReplayLease } from './replay-job';

/**
 * The leases of running shadow replays: one router at a time works on each, and what it writes counts once. All calls reject
 * while the store is unavailable.
 */
export abstract class ReplayLeases {
  /**
   * Leases the running replay whose turn it is, this member's own included: workspaces in turn, and within one the replay that
   * was served longest ago; undefined: there is none.
   */
  abstract next(): Promise<LeasedReplay | undefined>;

  /** @returns false: the replay has ended, or has another owner. */
  abstract renew(lease: ReplayLease): Promise<boolean>;

  /** Lets another router take the replay over at once. */
  abstract release(lease: ReplayLease): Promise<void>;

  /**
   * Writes a checkpoint in one transaction. When this rejects it may have been written: lease the replay again, to go on
   * from where it is.
   *
   * @returns false: the replay has ended or has another owner, and nothing was written.
   */
  abstract checkpoint(replay: LeasedReplay, checkpoint: Checkpoint): Promise<boolean>;
}
