/** @param sorted ascending. @param share 0.99 for the 99th percentile. @returns 0 of nothing. */
export const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

export const median = (values: readonly number[]): number =>
  percentile(
    [...values].sort((one, other) => one - other),
    0.5,
  );
