/** The numbers that decide how a router behaves; the defaults are those of the documentation. */
export interface RouterOptions {
  /** Bytes of events, rows and results that may be in memory at once. */
  readonly budgetBytes: number;
  /** Milliseconds between two commits while there is something to commit. */
  readonly commitIntervalMs: number;
  /** Changes (an event routed, a delivery ended, a row stored) after which a commit does not wait for the interval. */
  readonly commitChanges: number;
  /**
   * Milliseconds after the first failure of a key after which what waits behind it begins to be written to the store, in
   * small steps, and not while its lane as a whole may not work.
   */
  readonly spillAfterMs: number;
  /**
   * Deliveries of all lanes that move to the store every 250 ms, of each lane one at least: a commit with thousands of
   * rows, and their reading again, would keep everybody else's deliveries waiting.
   */
  readonly maxRowsPerLook: number;
  /** Rows that one key may have in the store; beyond, its place in the log is kept. */
  readonly maxRowsPerKey: number;
  /**
   * Open deliveries that a lane may have in one partition before it detaches; in all of them at least two rounds of
   * requests.
   */
  readonly maxOpenPerLane: number;
  /** The age in milliseconds at which what keeps failing is parked, unless the connection says otherwise. */
  readonly maxAgeMs: number;
  readonly backoffBaseMs: number;
  readonly backoffCapMs: number;
  /** Milliseconds until the first probe of a paused lane, and between later ones. */
  readonly firstPauseProbeMs: number;
  readonly pauseProbeMs: number;
  /** Milliseconds that a request with room for more events waits to be filled. */
  readonly lingerMs: number;
  /** Milliseconds that a partition's lease holds after each renewal. */
  readonly leaseMs: number;
  /** The longest that a request may last, unless the connection says otherwise. */
  readonly requestTimeoutMs: number;
  /** Milliseconds that requests in flight may go on when their partition is handed over. */
  readonly handOverMs: number;
  /** Bytes that one slice of catching up reads at most. */
  readonly sliceBytes: number;
  /** Hours for which message ids are remembered. */
  readonly duplicateWindowHours: number;
  /** Days for which rejected and parked deliveries are kept. */
  readonly deadLetterDays: number;
  /** Days for which it is on record how each delivery ended. */
  readonly outcomeDays: number;
  /** Where to begin in a log whose progress is not known: a new one where another was known. */
  readonly eventsFrom: 'earliest' | 'latest' | undefined;
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
};
