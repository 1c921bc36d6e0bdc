/** Intervals in milliseconds at which a router polls for work of one kind. Specs set shorter ones. */
export interface RouterPolling {
  /** Redrives, and replays that deliver. */
  readonly jobsMs: number;
  /** Shadow replays, while none is in progress. */
  readonly replaysMs: number;
  /** Replays whose progress or end is to be shown as a run. */
  readonly reportsMs: number;
  /** Suppressed users whose stored events are to be erased. */
  readonly erasuresMs: number;
  /** Outcomes that are to be appended to the log. */
  readonly outcomesMs: number;
  /** Changes of the health of connections and pipelines. */
  readonly healthMs: number;
  /** Milliseconds for which something must be healthy before that is reported. */
  readonly healthyMs: number;
  /** Conditions of alerts. */
  readonly alertsMs: number;
  /** Milliseconds between two measurements of the pipelines that have alerts. */
  readonly measuresMs: number;
  /** Notifications of alerts. */
  readonly notificationsMs: number;
  /** Counts of pipelines that differ from their events. */
  readonly conservationMs: number;
}

/** Limits and intervals of a router; `ROUTER_DEFAULTS` has the documented defaults. */
export interface RouterOptions {
  /** Bytes of events, rows and results that may be in memory at once. */
  readonly budgetBytes: number;
  /** Milliseconds between two commits while there is something to commit. */
  readonly commitIntervalMs: number;
  /** Number of changes (an event routed, a delivery ended, a row stored) that starts a commit before the interval. */
  readonly commitChanges: number;
  /**
   * Milliseconds from the first failure of a key until its waiting deliveries are moved to the store, in small steps,
   * and not while the lane is blocked or suspect.
   */
  readonly spillAfterMs: number;
  /**
   * Deliveries of all lanes that may be spilled every 250 ms, at least one per lane. A commit with thousands of rows
   * would delay the deliveries of all other lanes.
   */
  readonly maxRowsPerLook: number;
  /** Rows that one key may have in the store; a key with more deliveries is detached. */
  readonly maxRowsPerKey: number;
  /**
   * Open deliveries that a lane may have in one partition before it is detached. A lane whose requests take more may
   * have two rounds of requests, divided by its partitions.
   */
  readonly maxOpenPerLane: number;
  /** Age in milliseconds at which a failing delivery is parked, unless the connection sets another. */
  readonly maxAgeMs: number;
  readonly backoffBaseMs: number;
  readonly backoffCapMs: number;
  /** Milliseconds until the first probe of a paused lane, and between later ones. */
  readonly firstPauseProbeMs: number;
  readonly pauseProbeMs: number;
  /** Milliseconds that a request which is not full waits for more events. */
  readonly lingerMs: number;
  /** Milliseconds that a partition's lease holds after each renewal. */
  readonly leaseMs: number;
  /** Time limit of a request in milliseconds, unless the connection sets another. */
  readonly requestTimeoutMs: number;
  /** Milliseconds that requests in flight may take to end when their partition is handed over. */
  readonly handOverMs: number;
  /** Most bytes that are read at once while catching up. */
  readonly sliceBytes: number;
  /** Hours for which message ids are remembered. */
  readonly duplicateWindowHours: number;
  /** Days for which rejected and parked deliveries are kept. */
  readonly deadLetterDays: number;
  /** Days for which outcomes are kept. */
  readonly outcomeDays: number;
  /** Where to begin in a log that is not the one that the stored progress belongs to. */
  readonly eventsFrom: 'earliest' | 'latest' | undefined;
  readonly polling: RouterPolling;
}

export const ROUTER_DEFAULTS: RouterOptions = {
  budgetBytes: 256 * 1024 * 1024,
  commitIntervalMs: 100,
  commitChanges: 1_500,
  spillAfterMs: 2_000,
  maxRowsPerLook: 200,
  maxRowsPerKey: 1_000,
  maxOpenPerLane: 1_000,
  maxAgeMs: 24 * 3_600_000,
  backoffBaseMs: 1_000,
  backoffCapMs: 300_000,
  firstPauseProbeMs: 1_000,
  pauseProbeMs: 300_000,
  lingerMs: 5,
  leaseMs: 10_000,
  requestTimeoutMs: 30_000,
  handOverMs: 5_000,
  sliceBytes: 4 * 1024 * 1024,
  duplicateWindowHours: 24,
  deadLetterDays: 14,
  outcomeDays: 30,
  eventsFrom: undefined,
  polling: {
    jobsMs: 500,
    replaysMs: 1_000,
    reportsMs: 1_000,
    erasuresMs: 1_000,
    outcomesMs: 1_000,
    healthMs: 2_000,
    healthyMs: 10_000,
    // A recorded health holds longer, so that no change is missed.
    alertsMs: 10_000,
    measuresMs: 60_000,
    notificationsMs: 1_000,
    conservationMs: 10_000,
  },
};
