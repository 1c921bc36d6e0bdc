/** How leases are kept. */
export interface OwnershipOptions {
  /** For how long the store grants a lease. */
  readonly leaseMs: number;
  /** How often leases are renewed and the roll is called; default a third of the lease. */
  readonly beatMs?: number;
  /** How long requests in flight may go on when a partition is handed over; default 5,000. */
  readonly handOverMs?: number;
  /** How long the first attempt at restoring a partition may take, and the second twice as long; default 60,000. */
  readonly takeMs?: number;
}

/** All times of ownership, in milliseconds. */
export interface OwnershipTimes extends Required<OwnershipOptions> {
  /** Between looks for free partitions while there may be some. */
  readonly lookMs: number;
  /** After a call that failed, or to renewals that are not answered. */
  readonly retryMs: number;
  /** A lease counts as lost this long before its end. */
  readonly marginMs: number;
  /** What was told to end and has not ended after this time hangs. */
  readonly hangMs: number;
  /** Before a partition is tried again that could not be taken; doubled with each failure in a row. */
  readonly pauseMs: number;
}

const MARGIN_MS = 500;

/** The times that follow from the options. */
export const ownershipTimes = (options: OwnershipOptions): OwnershipTimes => ({
  beatMs: options.leaseMs / 3,
  handOverMs: 5_000,
  takeMs: 60_000,
  lookMs: 500,
  retryMs: options.leaseMs / 10,
  marginMs: Math.min(MARGIN_MS, options.leaseMs / 10),
  hangMs: 5_000,
  pauseMs: 100,
  ...options,
});
