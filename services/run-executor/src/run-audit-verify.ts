import { runVerification } from '@penstock/platform';
import { verifyRuns } from './audit/verify-runs';
import { RUN_EXECUTOR_VARIABLES } from './run-executor-variables';

/** Compares runs with their facts, and their facts with the topic of runs. */
export const runAuditVerify = (): Promise<void> =>
  runVerification(RUN_EXECUTOR_VARIABLES, ({ pool, log }) => verifyRuns(pool, log));
