/** Bytes of all items of one answer, in JSON. The rest of the message of the log takes little. */
export const MAX_ANSWER_BYTES = 900_000;
/** The same for a sealed answer: sealing turns three bytes into four. */
export const MAX_SEALED_BYTES = 675_000;

export interface Fitting<T> {
  /** The first items; at least one, unless there are none. */
  readonly items: readonly T[];
  /** The first item that does not fit; undefined when all do. */
  readonly rest: T | undefined;
}

/**
 * Takes as many items as fit into an answer, and reads no further than the first that does not.
 *
 * @param written the part of an item that is in the answer.
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
