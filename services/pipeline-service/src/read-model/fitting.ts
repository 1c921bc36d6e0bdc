/** Bytes of the items of one answer, as they stand in a message of the log, which they share with little else. */
export const MAX_ANSWER_BYTES = 900_000;
/** The same where the answer is sealed, which makes three bytes four. */
export const MAX_SEALED_BYTES = 675_000;

export interface Fitting<T> {
  /** From the front; one at least, where there is any. */
  readonly items: readonly T[];
  /** The first that does not fit; undefined when all do. */
  readonly rest: T | undefined;
}

/**
 * As many items as fit into an answer. What is behind them is not asked for.
 *
 * @param written what of an item stands in the answer.
 * @param maxBytes default {@link MAX_ANSWER_BYTES}.
 */
export const fitting = <T>(
  items: Iterable<T>,
  written: (item: T) => unknown = (item) => item,
  maxBytes = MAX_ANSWER_BYTES,
): Fitting<T> => {
  const fit: T[] = [];
  let bytes = 0;
  for (const item of items) {
    bytes += Buffer.byteLength(JSON.stringify(written(item))) + 1;
    if (fit.length > 0 && bytes > maxBytes) return { items: fit, rest: item };
    fit.push(item);
  }
  return { items: fit, rest: undefined };
};
