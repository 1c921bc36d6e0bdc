import type { Actor, JobId, PipelineId, WorkspaceId } from '@penstock/contracts';

/**
 * What routers can be asked to do with the deliveries of a pipeline.
 *
 * - Replay: in mode `shadow`
 * - DeliveringReplay: in mode `deliver`; earlier routers, which know no such kind, leave it alone
 */
type JobKind = 'Redrive' | 'Replay' | 'DeliveringReplay';

/** The states of a job that has not ended. */
type OpenJobState = 'Preparing' | 'Running' | 'Cancelling';

/** The states in which a job ends. */
export type EndedJobState = 'Succeeded' | 'Cancelled' | 'Failed';

/**
 * - Preparing: what belongs to it is being recorded
 * - Running: routers work on it
 * - Cancelling: it was cancelled, and routers may still be at work on it
 */
export type JobState = OpenJobState | EndedJobState;

/** The names of a job. */
export interface JobPlace {
  readonly kind: JobKind;
  readonly workspace: WorkspaceId;
  readonly pipeline: PipelineId;
}

/** A job before it is recorded. */
export interface NewJob extends JobPlace {
  /** Sorts by time. */
  readonly id: JobId;
  /** What it was asked for: JSON text, which only its kind reads. */
  readonly request: string;
  /** Who created it. */
  readonly actor: Actor;
  /** Identifies the request: a second job with the same one is not made. */
  readonly command: string;
}

/** A job as it is recorded. */
export interface Job extends NewJob {
  readonly state: JobState;
  /** Milliseconds since 1970, by the store's clock. */
  readonly createdMs: number;
  /** Milliseconds since 1970; `null`: it has not ended. */
  readonly endedMs: number | null;
  /** What was counted for it, over all partitions, by name. */
  readonly counts: ReadonlyMap<string, number>;
}
