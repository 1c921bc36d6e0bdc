/** What an operator, or a test, may set of an executor. All times in milliseconds. */
export interface ExecutorOptions {
  /** Runs that this process performs at a time. */
  readonly places: number;
  /** Runs of one workspace that are performed at a time, over all processes. */
  readonly runsOfWorkspace: number;
  readonly batchRecords: number;
  readonly stallMs: number;
  readonly leaseMs: number;
  readonly renewMs: number;
  /** How often the store is asked for runs that can be claimed or are to be cancelled. */
  readonly lookMs: number;
  /** After which a run is cancelled whose worker has not done it. */
  readonly cancelGraceMs: number;
  /** For the warehouse to refuse what a cancelled run may still write. */
  readonly fenceMs: number;
  /** For a run to end its batch when the process stops. */
  readonly stopMs: number;
  readonly backoffBaseMs: number;
  readonly backoffCapMs: number;
  /** After which a run without progress fails. */
  readonly patienceMs: number;
  /** The same while functions cannot be run. */
  readonly functionPatienceMs: number;
  /** Resolutions of identities that this process performs at a time. */
  readonly resolutions: number;
  /**
   * Changed identities of one batch, 50,000 at most. Writers of events and imports wait for it: 5,000 take a second or
   * two (docs/adr/0032), and larger ones hardly less time for each identity.
   */
  readonly resolutionBatch: number;
  /** After which a resolution, an erasure or a removal gives its place to one that waits. */
  readonly resolutionSliceMs: number;
  /** After which one that has failed is tried again. */
  readonly resolutionRetryMs: number;
  /** Erasures of people that this process performs at a time. */
  readonly erasures: number;
  /** Deleted pipelines whose identities this process removes at a time. */
  readonly removals: number;
  /** For which runs are kept after their end. */
  readonly retentionMs: number;
  /** For each call of a connector. */
  readonly deadlineMs: number;
}

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;

/** The defaults. */
export const EXECUTOR_DEFAULTS: ExecutorOptions = {
  places: 4,
  runsOfWorkspace: 4,
  batchRecords: 1_000,
  stallMs: 2_000,
  leaseMs: 10_000,
  renewMs: 3_000,
  lookMs: 250,
  cancelGraceMs: 750,
  fenceMs: 500,
  stopMs: 8_000,
  backoffBaseMs: 500,
  backoffCapMs: 30_000,
  patienceMs: 15 * MINUTE_MS,
  functionPatienceMs: 5 * MINUTE_MS,
  resolutions: 4,
  resolutionBatch: 5_000,
  resolutionSliceMs: MINUTE_MS / 2,
  resolutionRetryMs: 10 * MINUTE_MS,
  erasures: 2,
  removals: 2,
  retentionMs: 400 * DAY_MS,
  deadlineMs: MINUTE_MS,
};
