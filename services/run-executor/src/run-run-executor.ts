import { runService } from '@penstock/platform';
import { createRunExecutor } from './create-run-executor';

/** Runs the executor of runs in a process of its own. */
export const runRunExecutor = (): Promise<void> =>
  runService('run-executor', {}, createRunExecutor);
