/** Events are stamped with a position beyond the end of the configuration log: it was restored from an older copy. */
export interface StampBeyondEnd {
  /** The highest such stamp. */
  readonly seen: number;
  /** The last position of the log, which is used instead. */
  readonly end: number;
}
