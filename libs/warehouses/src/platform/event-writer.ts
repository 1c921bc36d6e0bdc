import type { RecordValue } from '@penstock/schema';

/** What became of one event. */
export interface EventOutcome {
  /** Why the warehouse has refused the event, in its own words, without any value of it. Absent: it is in the warehouse. */
  readonly refused?: string;
}

/** Writes events under one epoch; faults are those of `IdentityWriter`, but never `outdated`. */
export interface EventWriter {
  /**
   * Adds events, staged and in one transaction. Of events with the same source and message id the first that was written
   * stays, so that any batch may be repeated any number of times. Events that the server refuses are isolated by halving;
   * the others are written, in as many transactions as that takes.
   *
   * @param events by the event schema, at most `MAX_BATCH`.
   * @returns what became of each event, in their order.
   * @throws RangeError when the batch is over its limit.
   */
  write(events: readonly RecordValue[]): Promise<readonly EventOutcome[]>;
}
