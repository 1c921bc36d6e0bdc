/** A user of an application, by the value that it is matched by. */
export interface ApplicationMatch {
  /** The application's id of the user: 1 or more characters. */
  readonly externalId: string;
  readonly value: string;
}

/** The most of one call of {@link MatchWriter.put} or {@link MatchWriter.find}. */
export const MAX_MATCHES = 5_000;

/**
 * The users of an application that one export has read, under one epoch. Every method rejects with `WarehouseFault`, as those
 * of `IdentityWriter` do, and may be repeated.
 */
export interface MatchWriter {
  /**
   * Keeps users; one that is known gets its new value.
   *
   * @throws RangeError when there are more than {@link MAX_MATCHES}.
   */
  put(matches: readonly ApplicationMatch[]): Promise<void>;
  /**
   * Users that have one of the values.
   *
   * @param limit of the users of each value.
   * @throws RangeError when there are more than {@link MAX_MATCHES} values.
   */
  find(values: readonly string[], limit: number): Promise<readonly ApplicationMatch[]>;
  /** Deletes all users, in bounded transactions. */
  forget(): Promise<void>;
}
