/**
 * The advisory locks of an installation's database. They are in one list because two that had one number excluded each
 * other: a service that holds its lock all the time kept another from its work for ever, without an error.
 */
export const ADVISORY_LOCK = {
  /** One router at a time migrates the router's tables. Routers of version 1 made their tables under it, too. */
  prepareRouter: 7_300_101,
  /** One pipeline service publishes facts and states; it holds the lock as long as it does. */
  relay: 7_300_102,
  /** One pipeline service at a time migrates its tables. */
  migratePipelineService: 7_300_103,
  /** One process at a time records the installation. */
  installation: 7_300_104,
  /** One router at a time merges counts into longer periods. */
  rollUp: 7_300_105,
  /** One pipeline service at a time decides the slots of schedules that are due. */
  schedule: 7_300_108,
  /** One router at a time evaluates the alerts. */
  evaluateAlerts: 7_300_106,
  /** One router at a time takes notifications of alerts to send. */
  takeNotifications: 7_300_107,
  /** One run executor at a time migrates its tables. */
  prepareExecutor: 7_300_109,
  /** One run executor at a time gives queued runs to workers, so that the limit of a workspace holds. */
  claimRuns: 7_300_110,
  /** One run executor publishes facts of runs. */
  publishRuns: 7_300_111,
  /** One run executor at a time gives removals to workers, so that a workspace has one at a time. */
  claimRemovals: 7_300_112,
  /** One run executor at a time gives erasures to workers, so that a workspace has one at a time. */
  claimErasures: 7_300_113,
  /** One process at a time makes the table of rates. */
  prepareRates: 7_300_114,
} as const;
