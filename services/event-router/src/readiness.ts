import type { EventRouter } from './event-router';

/** The process is not ready when commits have failed for this time. */
const MAX_FAILING_MS = 10_000;
/** The process is not ready when it has been acquiring or releasing a partition for this time. */
const MAX_TRANSIENT_MS = 60_000;

/** Rejects with the reason while the router cannot work. */
export const checkReadiness = (router: EventRouter): Promise<void> => {
  const { failingMs } = router.engine.committer;
  if (failingMs >= MAX_FAILING_MS)
    return Promise.reject(new Error(`commits have failed for ${Math.round(failingMs / 1_000)} s`));
  const stuck = router.stuckPartitions(MAX_TRANSIENT_MS);
  if (stuck.length > 0)
    return Promise.reject(new Error(`partitions ${stuck.join(', ')} cannot be taken up`));
  return Promise.resolve();
};
