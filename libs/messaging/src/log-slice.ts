import type { LogRecord } from './message-log';

/** A stretch of one partition. */
export interface LogSlice {
  /** In order. Empty only when no record stands between the offset that was asked for and {@link end}. */
  readonly records: readonly LogRecord[];
  /**
   * The offset to go on from: behind the last record, or, without records, behind what holds no record any more. Never
   * below the offset that was asked for.
   */
  readonly next: number;
  /** The offset of the first record still kept. */
  readonly begin: number;
  /** The offset that the next record will get. */
  readonly end: number;
}
