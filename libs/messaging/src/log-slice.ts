import type { LogRecord } from './message-log';

/** Consecutive records of one partition. */
export interface LogSlice {
  /** Records in order. Empty only when there is no record between the requested offset and {@link end}. */
  readonly records: readonly LogRecord[];
  /**
   * Offset for the next read: after the last record, or, without records, after the offsets that no longer have any.
   * Never below the requested offset.
   */
  readonly next: number;
  /** Offset of the first record still kept. */
  readonly begin: number;
  /** The offset that the next record will get. */
  readonly end: number;
}
