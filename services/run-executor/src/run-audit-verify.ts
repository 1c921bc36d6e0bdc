import { runVerification } from '@penstock/platform';
import { verifyProfiles } from './audit/profiles/verify-profiles';
import { verifyRuns } from './audit/verify-runs';
import { RUN_EXECUTOR_VARIABLES } from './run-executor-variables';

/**
 * Compares runs with their facts, and their facts with the topic of runs; then the facts on the topic of profiles with the
 * profiles in the warehouses.
 */
export const runAuditVerify = (): Promise<void> =>
  runVerification(
    RUN_EXECUTOR_VARIABLES,
    ({ pool, log }) => verifyRuns(pool, log),
    async ({ log, warehouses, secrets }) =>
      verifyProfiles({ log, warehouses, secrets: await secrets() }),
  );
