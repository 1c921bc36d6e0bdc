/** A source of requests for a load. */
export interface Requests {
  /** The bytes of a complete HTTP request; no two are equal. @param nth from 0. */
  bytes(nth: number): Buffer;
}
