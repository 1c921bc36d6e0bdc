import { type Config, variable } from '@penstock/runtime';
import { MAX_BATCH, MAX_RESOLVED } from '@penstock/warehouses';
import { EXECUTOR_DEFAULTS, type ExecutorOptions } from './workers/executor-options';

const { duration, integer } = variable;

const MOST_RUNS = 64;
const MOST_RESOLUTIONS = 16;

/** Variables of runs and of resolutions of identities, beside those that every process has. */
export const RUN_EXECUTOR_VARIABLES = {
  PENSTOCK_RESOLUTION_BATCH_IDENTITIES: integer({ min: 1, max: MAX_RESOLVED }).or(
    EXECUTOR_DEFAULTS.resolutionBatch,
  ),
  PENSTOCK_RESOLUTIONS_PER_PROCESS: integer({ min: 1, max: MOST_RESOLUTIONS }).or(
    EXECUTOR_DEFAULTS.resolutions,
  ),
  PENSTOCK_RUN_BATCH_RECORDS: integer({ min: 1, max: MAX_BATCH }).or(
    EXECUTOR_DEFAULTS.batchRecords,
  ),
  PENSTOCK_RUN_PATIENCE: duration({ min: '1s', max: '7d' }).or(EXECUTOR_DEFAULTS.patienceMs),
  PENSTOCK_RUNS_RETENTION: duration({ min: '30d', max: '3650d' }).or(EXECUTOR_DEFAULTS.retentionMs),
  PENSTOCK_RUNS_PER_PROCESS: integer({ min: 1, max: MOST_RUNS }).or(EXECUTOR_DEFAULTS.places),
  PENSTOCK_RUNS_PER_WORKSPACE: integer({ min: 1, max: MOST_RUNS }).or(
    EXECUTOR_DEFAULTS.runsOfWorkspace,
  ),
} as const;

/** The variables as options of the executor. */
export const runExecutorSettings = (
  config: Config<typeof RUN_EXECUTOR_VARIABLES>,
): { readonly runs: Partial<ExecutorOptions> } => ({
  runs: {
    batchRecords: config.PENSTOCK_RUN_BATCH_RECORDS,
    patienceMs: config.PENSTOCK_RUN_PATIENCE,
    places: config.PENSTOCK_RUNS_PER_PROCESS,
    resolutionBatch: config.PENSTOCK_RESOLUTION_BATCH_IDENTITIES,
    resolutions: config.PENSTOCK_RESOLUTIONS_PER_PROCESS,
    retentionMs: config.PENSTOCK_RUNS_RETENTION,
    runsOfWorkspace: config.PENSTOCK_RUNS_PER_WORKSPACE,
  },
});
