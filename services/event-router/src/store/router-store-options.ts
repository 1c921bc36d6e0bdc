/** Settings of a store. */
export interface RouterStoreOptions {
  /** Milliseconds of a lease after it was acquired or renewed, and for which a member is in the roll after a beat. */
  readonly leaseMs: number;
  /** Hours for which message ids are remembered. */
  readonly duplicateWindowHours: number;
  /** Days for which dead letters and unreadable records are kept. */
  readonly deadLetterDays: number;
  /** Days for which outcomes and pauses are kept: as long as events. */
  readonly outcomeDays: number;
  /** Id of this process among all; default: a new random one. */
  readonly memberId?: string;
}
