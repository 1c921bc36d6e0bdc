import type {
  EndedErasure,
  ErasureCounts,
  ErasureId,
  Instant,
  OrganizationId,
  RequestedErasure,
  WorkspaceId,
} from '@penstock/contracts';
import type { ErasedCounts, ErasedRecord } from '@penstock/warehouses';

/** An erasure as the configuration tells of it. */
export interface AcceptedErasure extends Omit<RequestedErasure, 'actor'> {
  readonly workspace: WorkspaceId;
  readonly organization: OrganizationId;
}

/** Under what a worker has an erasure. */
export interface ErasureClaim {
  readonly erasure: ErasureId;
  readonly epoch: number;
}

/** An erasure that a worker has taken up. */
export interface ClaimedErasure extends ErasureClaim {
  readonly workspace: WorkspaceId;
  readonly profile: string;
  /** Attempts that have failed since the last progress. */
  readonly failures: number;
}

/** An erasure as it is known. */
export interface StoredErasure extends Omit<AcceptedErasure, 'organization' | 'workspace'> {
  /** `null`: it has not ended. */
  readonly endedAt: Instant | null;
  /** Why it has failed, or what it waits for. */
  readonly error: string;
  readonly counts: ErasureCounts;
}

/** An erasure whose end the pipeline service does not know yet. */
export interface UntoldErasure extends EndedErasure {
  readonly workspace: WorkspaceId;
}

/**
 * What executors share about erasures of people. Rejects with the errors of its database; what is recorded under a claim with
 * `LeaseLost` when another worker has the erasure, or it has ended.
 */
export abstract class ErasureStore {
  /** Takes an erasure over; one that is known changes nothing. */
  abstract accept(erasure: AcceptedErasure): Promise<void>;
  /**
   * Gives the next erasure of these workspaces to a worker, one of each workspace at a time: of the organization that has the
   * fewest under way, and has waited longest.
   *
   * @returns undefined when there is none.
   */
  abstract claim(
    worker: string,
    workspaces: readonly WorkspaceId[],
  ): Promise<ClaimedErasure | undefined>;
  /** @returns whether the claim still holds; then for another lease from now. */
  abstract renew(claim: ErasureClaim): Promise<boolean>;
  /** Gives it back: others have their turn first. */
  abstract release(claim: ErasureClaim): Promise<void>;
  /** Gives it back after an attempt that has failed, for this time at least. */
  abstract postpone(claim: ErasureClaim, ms: number, error: string): Promise<void>;
  /** Erases the ids of these records from the examples of errors of runs, and counts them. */
  abstract eraseSamples(claim: ClaimedErasure, records: readonly ErasedRecord[]): Promise<void>;
  /** Records what the warehouse has erased so far. */
  abstract progress(claim: ErasureClaim, counts: ErasedCounts): Promise<void>;
  /** Ends it, once. @param error `''`: the person was erased. */
  abstract end(claim: ErasureClaim, error: string): Promise<void>;
  /** Those that have ended and were not told, the one that ended first being the first, without these. */
  abstract untold(limit: number, but: readonly ErasureId[]): Promise<readonly UntoldErasure[]>;
  abstract told(erasure: ErasureId): Promise<void>;
  /** @returns undefined when the workspace has none of the id. */
  abstract find(workspace: string, id: string): Promise<StoredErasure | undefined>;
}
