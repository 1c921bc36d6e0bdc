import { runProcess } from '@penstock/platform';
import { readPenstockConfig } from '@penstock/runtime';
import { STANDALONE_VARIABLES } from './standalone-variables';
import { startStandalone } from './start-standalone';

/** Runs the four services in one process. */
export const runStandalone = (): Promise<void> =>
  runProcess(
    'penstock',
    () => readPenstockConfig(process.env, STANDALONE_VARIABLES),
    startStandalone,
  );
