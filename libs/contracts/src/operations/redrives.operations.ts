import type { Actor } from '../fact';
import type { Instant, JobId, PipelineId } from '../ids';
import { always, query } from './operation';
import type { Page } from './page';

/** States of the dead letters that a redrive may choose. */
export const REDRIVEN_STATES = ['Rejected', 'Parked'] as const;

/** The states of a redrive; all but `Running` are final. */
export const REDRIVE_STATES = ['Running', 'Succeeded', 'Cancelled'] as const;

/** One of {@link REDRIVE_STATES}. */
export type RedriveState = (typeof REDRIVE_STATES)[number];

/** Which dead letters of a pipeline are redriven; what is absent does not matter. */
export interface RedriveWanted {
  readonly state?: (typeof REDRIVEN_STATES)[number];
  readonly code?: string;
  /** Their events were received at this time or later. */
  readonly from?: Instant;
  /** Their events were received before this time. */
  readonly to?: Instant;
  /** Ids of deliveries; those that are no dead letters of the pipeline choose nothing. */
  readonly ids?: readonly string[];
}

/** A redrive as a query answers it: `chosen` is the sum of the other numbers. */
export interface RedriveView {
  readonly id: JobId;
  readonly pipeline: PipelineId;
  readonly state: RedriveState;
  readonly chosen: number;
  readonly delivered: number;
  /** Their users were suppressed meanwhile. */
  readonly filtered: number;
  readonly rejected: number;
  readonly parked: number;
  /** Not ended by the redrive; of one that was cancelled: left as they were. */
  readonly left: number;
  readonly startedAt: Instant;
  /** `null` while it runs. */
  readonly endedAt: Instant | null;
  /** The API key that has created it. */
  readonly createdBy: Actor;
}

/** About the redrives of a pipeline that the caller has found to be one of the workspace. */
interface OfPipeline {
  readonly pipeline: PipelineId;
}

/** Redrives of dead letters: a router creates them, and any router answers, from the store that they share. */
export const REDRIVE_OPERATIONS = {
  /**
   * Creates a redrive with this id, or finds the one that the same command has created before. `command`: identifies
   * repetitions of a request; `null`: there are none. `count`: of what it chooses. `isDryRun`: nothing is created, and
   * `id` is `null`.
   */
  CreateRedrive: query<
    OfPipeline & {
      readonly id: JobId;
      readonly command: string | null;
      readonly wanted: RedriveWanted;
      readonly isDryRun: boolean;
    },
    { readonly id: JobId | null; readonly count: number }
  >({
    scope: 'write',
    refusals: ['PipelineNotExist', 'TooManyRedrives'],
    isSlow: always,
    answeredBy: 'event-router',
  }),
  /** Newest first. */
  ListRedrives: query<
    Page & OfPipeline,
    { readonly redrives: readonly RedriveView[]; readonly cursor: string }
  >({ refusals: ['PipelineNotExist'], isSlow: always, answeredBy: 'event-router' }),
  GetRedrive: query<OfPipeline & { readonly id: string }, RedriveView>({
    refusals: ['PipelineNotExist', 'RedriveNotExist'],
    isSlow: always,
    answeredBy: 'event-router',
  }),
  /** Ends a running redrive; has no effect on one that has ended. */
  CancelRedrive: query<OfPipeline & { readonly id: string }, Record<never, never>>({
    scope: 'write',
    refusals: ['PipelineNotExist', 'RedriveNotExist'],
    isSlow: always,
    answeredBy: 'event-router',
  }),
};
