import type { JobId } from '@penstock/contracts';
import type { EndedJobState, Job, JobPlace, NewJob } from './job';

/** Which jobs of a list are wanted. */
export interface JobPage {
  readonly limit: number;
  /** The last job of the page before; absent: the newest ones. */
  readonly before?: JobId;
}

/** Most jobs of one kind and pipeline that have not ended: routers look at all of them again and again. */
export const MOST_OPEN = 10;

/** The jobs of an installation, which all routers share. All calls reject while the database is unavailable. */
export abstract class JobStore {
  /**
   * Records a job, as `Preparing`.
   *
   * @returns the job; an earlier one, unchanged, that was created by the same command; undefined: as many are open already.
   * More than {@link MOST_OPEN} are possible where several are created in the same moment.
   */
  abstract create(job: NewJob): Promise<Job | undefined>;

  /** The jobs of one kind of a pipeline, newest first. */
  abstract list(place: JobPlace, page: JobPage): Promise<readonly Job[]>;

  /** Undefined: the pipeline has no such job of this kind. */
  abstract get(place: JobPlace, id: JobId): Promise<Job | undefined>;

  /** The jobs that have not ended, oldest first. */
  abstract open(): Promise<readonly Job[]>;

  /** Begins a job that was prepared. No effect on one that is not `Preparing`. */
  abstract begin(id: JobId): Promise<void>;

  /** Lets the job end as soon as no router is at work on it. No effect on one that is `Cancelling` or has ended. */
  abstract cancel(id: JobId): Promise<void>;

  /** Ends the job. No effect on one that has ended. */
  abstract end(id: JobId, state: EndedJobState): Promise<void>;
}
