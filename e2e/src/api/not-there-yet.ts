import { json, NONE, refused } from './refusal';
import { refuses, type Run } from './table';

export interface NotThereYet {
  /** Why there is nothing to test. */
  readonly reason: string;
  /** Checks the current refusal, where it is a definite one. */
  readonly today?: Run;
}

const NO_RUNS = 'no kind of pipeline that there is can be run';
const NO_OPERATIONS = 'nothing runs in a warehouse that could hinder another operation';

const NOT_RUNNABLE = refused('PipelineNotRunnable', 'pipeline cannot be run');
const run = (body?: object): Run =>
  refuses(
    'POST /v1/pipelines/{pipeline}/runs',
    body === undefined ? NONE : json(body),
    NOT_RUNNABLE,
  );

const schedule = (period: string | null): Run =>
  refuses('PUT /v1/pipelines/{pipeline}/schedule', json({ period }), NOT_RUNNABLE);

/** Rows that are not implemented yet: area → row. */
export const NOT_THERE_YET: Readonly<Record<string, Readonly<Record<string, NotThereYet>>>> = {
  pipelines: {
    'Set schedule: a value turns automatic runs on, null off': {
      reason: NO_RUNS,
      today: schedule('5m'),
    },
    'Run pipeline: answers the id of the run at once': { reason: NO_RUNS, today: run() },
    'Run pipeline: incremental must be omitted or null for a destination': {
      reason: NO_RUNS,
      today: run({ incremental: true }),
    },
    'Run pipeline: incremental requires an update time column': {
      reason: NO_RUNS,
      today: run({ incremental: true }),
    },
    'Run pipeline: pipeline is disabled': { reason: NO_RUNS, today: run() },
    'Run pipeline: pipeline is already running': { reason: NO_RUNS, today: run() },
    'Run pipeline: data warehouse is in inspection mode': { reason: NO_RUNS, today: run() },
    'Run pipeline: data warehouse is in maintenance mode': { reason: NO_RUNS, today: run() },
    'Get run: every field of a pipeline run': { reason: NO_RUNS },
    'Get run: passed and failed of six steps, zero until the end': { reason: NO_RUNS },
    'Cancel run: ends it in seconds': { reason: NO_RUNS },
    'a run survives the death of its worker': { reason: NO_RUNS },
    'Delete pipeline: keeps its runs': { reason: NO_RUNS },
  },
  warehouse: {
    'Repair: OperationAlreadyExecuting': { reason: NO_OPERATIONS },
    'Update mode: cancelIncompatibleOperations cancels, or is refused': { reason: NO_OPERATIONS },
    'modes: change the profile schema': { reason: 'there is no profile schema' },
  },
  connections: {
    'health: of its deliveries': { reason: 'deliveries are not watched; every one is Healthy' },
  },
  organization: {
    'a disabled one: schedules stop, runs are cancelled': { reason: NO_RUNS },
  },
};
