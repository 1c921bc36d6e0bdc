import type { BatchHandler } from './message-log';

/** What to read of a topic of which single partitions are started and stopped. */
export interface ReadPartitions {
  readonly topic: string;
  /** In order per partition, at least once; the handler of one partition never holds another partition. */
  readonly onBatch: BatchHandler;
  /** Records a batch at most, default 500. */
  readonly maxRecords?: number;
}

/**
 * Live reading of single partitions, without a group: whoever starts a partition knows where it stands.
 *
 * A reader outlives outages of the log and goes on where each partition stands. Offsets that hold no record any
 * more are passed over in silence: the offsets of the records that follow show the gap.
 */
export interface PartitionReader {
  /**
   * Starts a partition at an offset, or moves it there when it has been started. From a batch in hand `leaving`
   * takes the partition away, as on {@link stop}; once it has ended, the next record that is delivered is the first
   * one at or after `offset`. An offset below the log's beginning reads from the beginning, one above its end waits
   * until the log has grown that far. Does nothing once the reader is closed.
   *
   * @throws RangeError when the topic has no such partition, or the offset is not a whole number of 0 or more.
   */
  start(partition: number, offset: number): void;
  /**
   * Ends a partition: aborts `leaving`, and resolves when the batch in hand has ended. Nothing of the partition is
   * delivered afterwards, until it is started again. One that was not started has ended. Never rejects.
   */
  stop(partition: number): Promise<void>;
  /** Stops every partition, as {@link stop} does, and lets go of the connections. Twice is as once. */
  close(): Promise<void>;
}
