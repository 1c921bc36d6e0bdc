import type { PipelineId, WorkspaceId } from '@penstock/contracts';

/** A pipeline that was deleted. */
export interface DeletedPipeline {
  readonly pipeline: PipelineId;
  readonly workspace: WorkspaceId;
}

/** A pipeline that writes identities, as it was not deleted. */
export interface WritingPipeline {
  readonly pipeline: PipelineId;
  readonly workspace: WorkspaceId;
  readonly version: number;
  /** Paths of the properties that it writes. */
  readonly properties: readonly string[];
}

/** Under what a worker has a removal. */
export interface RemovalClaim {
  readonly pipeline: PipelineId;
  readonly epoch: number;
}

/** A removal that a worker has taken up. */
export interface ClaimedRemoval extends RemovalClaim, DeletedPipeline {
  readonly deleted: boolean;
  /** The newest one that was taken over of a pipeline that was not deleted. */
  readonly version: number;
  /** Paths of the properties that a pipeline which was not deleted writes no more. */
  readonly lost: readonly string[];
  /** Whether something was, or may have been, removed in this pass: then identities are to be resolved. */
  readonly hasChanged: boolean;
  /** Attempts that have failed since the last progress. */
  readonly failures: number;
}

/**
 * What executors share about what pipelines have written and is to be removed. Rejects with the errors of its database; what
 * is recorded under a claim with `LeaseLost` when another worker has the removal, or it has ended.
 */
export abstract class RemovalStore {
  /** Takes deleted pipelines over; those that are known change nothing. */
  abstract accept(deleted: readonly DeletedPipeline[]): Promise<void>;
  /**
   * Takes versions of pipelines over. What one does not write, and the version known before does, is to be cleared; what it
   * writes is not any more. Older versions change nothing.
   */
  abstract note(writing: readonly WritingPipeline[]): Promise<void>;
  /** Has the removal done once more: something of the pipeline was found. One that is not known is taken over. */
  abstract repeat(deleted: DeletedPipeline): Promise<void>;
  /** Workspaces in which a removal is due and none is claimed: those that have waited longest first. */
  abstract due(): Promise<readonly WorkspaceId[]>;
  /**
   * Gives a removal to a worker, one of each workspace at a time: of the first of these workspaces that has one, that which
   * has waited longest. It waits for the runs of its pipeline, those of earlier versions if it was not deleted, until the
   * warehouse refuses what they may still write.
   *
   * @returns undefined when there is none.
   */
  abstract claim(
    worker: string,
    workspaces: readonly WorkspaceId[],
  ): Promise<ClaimedRemoval | undefined>;
  /** @returns whether the claim still holds; then for another lease from now. */
  abstract renew(claim: RemovalClaim): Promise<boolean>;
  /** Gives it back: others have their turn first. */
  abstract release(claim: RemovalClaim): Promise<void>;
  /** Gives it back after an attempt that has failed, for this time at least, or until a newer version is taken over. */
  abstract postpone(claim: RemovalClaim, ms: number, error: string): Promise<void>;
  /** Records that something is about to be removed, before it is: it stays so until the pass has ended. */
  abstract change(claim: RemovalClaim): Promise<void>;
  /** Ends the pass. The next one, if there is one, is due some time later. */
  abstract end(claim: RemovalClaim): Promise<void>;
  /** Forgets it: the pipeline was not deleted. */
  abstract drop(claim: RemovalClaim): Promise<void>;
}
