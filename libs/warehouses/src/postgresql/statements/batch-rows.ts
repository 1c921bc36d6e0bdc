/** What a batch may take in memory: a row much larger than those before it is no more than the limit of an answer. */
const BATCH_BYTES = 2_097_152;
const MAX_ROWS = 1_000;
/** What a row and each of its values take beside their texts. */
const ROW_BYTES = 256;
const CELL_BYTES = 64;

/** Bytes that a row takes in memory. */
export const bytesOf = (row: readonly (string | null)[]): number =>
  row.reduce((sum, text) => sum + CELL_BYTES + (text?.length ?? 0) * 2, ROW_BYTES);

/**
 * How many rows the next batch is to have: few until it is known how large they are.
 *
 * @param before rows of the batch before; 0: there is none.
 * @param largestBytes of the rows that were read.
 */
export const nextRows = (before: number, largestBytes: number): number => {
  if (before === 0) return 1;
  const fitting = Math.floor(BATCH_BYTES / Math.max(largestBytes, 1));
  return Math.max(1, Math.min(MAX_ROWS, before * 4, fitting));
};
