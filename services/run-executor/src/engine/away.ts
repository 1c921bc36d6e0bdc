/** What a run reads or writes cannot be reached at the moment: the same may succeed later. */
export class Away extends Error {
  override readonly name = 'Away';
  constructor(
    message: string,
    /** Milliseconds for which the other side wants to be left alone; absent: it has not said. */
    readonly retryAfterMs?: number,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
