/** Positions of the configuration between which something stays as it is. */
export interface Span {
  /** The first one. */
  readonly from: number;
  /** The first one behind them; Infinity: it has stayed so until now. */
  readonly until: number;
}

/** What both have in common. */
export const within = (left: Span, right: Span): Span => ({
  from: Math.max(left.from, right.from),
  until: Math.min(left.until, right.until),
});

/**
 * Index of the last element that began at the position or before; -1 when there is none.
 *
 * @param records sorted by their positions.
 */
export const indexAt = (
  records: readonly { readonly position: number }[],
  position: number,
): number => {
  let low = 0;
  let high = records.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((records[middle]?.position ?? Infinity) <= position) low = middle + 1;
    else high = middle;
  }
  return low - 1;
};
