/** The numbers that decide how a router behaves; the defaults are those of the documentation. */
export interface RouterOptions {
  /** Bytes of events that may be in memory at once; beyond it reading stops. */
  readonly budgetBytes: number;
  /** Milliseconds between two commits while there is something to commit. */
  readonly commitIntervalMs: number;
  /** Changes (an event finished, a counter raised, a row stored) after which a commit does not wait for the interval. */
  readonly commitChanges: number;
  /** Milliseconds after which what waits behind a failed delivery is written to the store. */
  readonly spillAfterMs: number;
  /** Waiting rows that one lane may have for one partition. */
  readonly maxRowsPerLane: number;
  /** Milliseconds from the first attempt after which a delivery is parked. */
  readonly retryBudgetMs: number;
  readonly backoffBaseMs: number;
  readonly backoffCapMs: number;
  /** Milliseconds that a request with room for more events waits to be filled. */
  readonly lingerMs: number;
  /** Milliseconds that a partition's lease holds after each renewal. */
  readonly leaseMs: number;
  /** The longest that a request begun under a lease may last; a successor waits as long. */
  readonly requestTimeoutMs: number;
  /** Milliseconds that requests in flight may go on after their partition was revoked. */
  readonly revokeGraceMs: number;
  /** Hours for which message ids are remembered. */
  readonly duplicateWindowHours: number;
  /** Days for which rejected and parked deliveries are kept. */
  readonly deadLetterDays: number;
}

export const ROUTER_DEFAULTS: RouterOptions = {
  budgetBytes: 256 * 1024 * 1024,
  commitIntervalMs: 100,
  commitChanges: 1_500,
  spillAfterMs: 2_000,
  maxRowsPerLane: 10_000,
  retryBudgetMs: 24 * 3_600_000,
  backoffBaseMs: 1_000,
  backoffCapMs: 300_000,
  lingerMs: 10,
  leaseMs: 10_000,
  requestTimeoutMs: 60_000,
  revokeGraceMs: 5_000,
  duplicateWindowHours: 25,
  deadLetterDays: 14,
};
