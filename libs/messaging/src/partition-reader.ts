import type { BatchHandler } from './message-log';

/** Options of reading single partitions of a topic. */
export interface ReadPartitions {
  readonly topic: string;
  /** Batches are in order per partition, delivered at least once; a handler of one partition never delays another. */
  readonly onBatch: BatchHandler;
  /** Maximal records of a batch. Default 500. */
  readonly maxRecords?: number;
}

/**
 * Reads single partitions live, without a group: the caller keeps the positions.
 *
 * A reader outlives outages of the log and resumes at the position of each partition. Offsets without a record are
 * skipped silently: the offsets of the following records show the gap.
 */
export interface PartitionReader {
  /**
   * Starts a partition at an offset, or moves it there when it has been started. For a batch in progress, `leaving` is
   * aborted, as on {@link stop}; once it has ended, the next delivered record is the first one at or after `offset`.
   * With an offset below the log's beginning, reading starts there; with one above its end, it waits until the log has
   * reached it. Does nothing once the reader is closed.
   *
   * @throws RangeError when the topic has no such partition, or the offset is not an integer of 0 or more.
   */
  start(partition: number, offset: number): void;
  /**
   * Ends a partition: aborts `leaving`, and resolves when the batch in progress has ended, at once when there is none.
   * Nothing of the partition is delivered afterwards until it is started again. Never rejects.
   */
  stop(partition: number): Promise<void>;
  /** Stops every partition, as {@link stop} does, and closes the connections. Idempotent. */
  close(): Promise<void>;
}
