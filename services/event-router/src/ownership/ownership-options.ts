/** Times of leases, in milliseconds. */
export interface OwnershipOptions {
  /** For how long the store grants a lease. */
  readonly leaseMs: number;
  /** Interval of renewals and of roll calls; default: a third of the lease. */
  readonly beatMs?: number;
  /** Limit for requests in flight to end when a partition is handed over; default: 5,000. */
  readonly handOverMs?: number;
  /** Time limit of the first attempt to restore a partition; the n-th attempt has n times as long; default: 60,000. */
  readonly takeMs?: number;
}

/** All times of ownership, in milliseconds. */
export interface OwnershipTimes extends Required<OwnershipOptions> {
  /** Between roll calls while partitions may be free. */
  readonly lookMs: number;
  /** Before a failed call, or a renewal without an answer, is repeated. */
  readonly retryMs: number;
  /** A lease counts as lost this long before its end. */
  readonly marginMs: number;
  /** Time after which the host, when its signal has aborted, counts as hanging. */
  readonly hangMs: number;
  /** Before a partition that could not be taken is claimed again; doubled with each failure in a row. */
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
