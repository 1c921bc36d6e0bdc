/** What a store has to know of its installation and of this process. */
export interface RouterStoreOptions {
  /** Milliseconds that a lease holds after it was taken or renewed, and that a member is counted after a beat. */
  readonly leaseMs: number;
  /** Hours for which message ids are remembered. */
  readonly duplicateWindowHours: number;
  /** Days for which rejected and parked deliveries, and records that could not be read, are kept. */
  readonly deadLetterDays: number;
  /** Days for which outcomes and pauses are kept: as long as events. */
  readonly outcomeDays: number;
  /** Names this process among all; by default another one each time. */
  readonly memberId?: string;
}
