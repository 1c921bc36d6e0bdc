/** What a load consists of. */
export interface Requests {
  /** A whole HTTP request; no two are the same. @param nth from 0. */
  bytes(nth: number): Buffer;
}
