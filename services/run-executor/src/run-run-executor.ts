import { runService } from '@penstock/platform';
import { createRunExecutor } from './create-run-executor';
import { RUN_EXECUTOR_VARIABLES, runExecutorSettings } from './run-executor-variables';

/** Runs the executor of runs in a process of its own. */
export const runRunExecutor = (): Promise<void> =>
  runService('run-executor', RUN_EXECUTOR_VARIABLES, (platform, settings) =>
    createRunExecutor({
      ...platform,
      ...runExecutorSettings(settings),
      spoolFolder: platform.config.PENSTOCK_FILES_SPOOL,
    }),
  );
