/** Events name a position of the configuration that its log does not reach: it was restored from an older copy. */
export interface StampBeyondEnd {
  /** The highest position that is named. */
  readonly seen: number;
  /** Of the newest configuration that the log holds; it counts instead. */
  readonly end: number;
}
