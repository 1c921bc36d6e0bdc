import type { EventRouter } from './event-router';

/** Commits that have failed for so long mean that this process gets nothing done. */
const MAX_FAILING_MS = 10_000;
/** A partition that this process tries to take up for so long stands still. */
const MAX_TAKING_MS = 60_000;

/** Rejects, saying why, while the router cannot do its work. */
export const checkReadiness = (router: EventRouter): Promise<void> => {
  const { failingMs } = router.engine.committer;
  if (failingMs >= MAX_FAILING_MS)
    return Promise.reject(new Error(`commits have failed for ${Math.round(failingMs / 1_000)} s`));
  const stuck = router.stuckPartitions(MAX_TAKING_MS);
  if (stuck.length > 0)
    return Promise.reject(new Error(`partitions ${stuck.join(', ')} cannot be taken up`));
  return Promise.resolve();
};
