import type { RecordValue } from '@penstock/schema';

/** Where the rows of an export go. */
export interface RowDestination {
  /**
   * Looks whether the rows have a place there. Before the first merge, and again whenever that has failed.
   *
   * @throws Away, WholeRunError, or the signal's reason.
   */
  open(signal: AbortSignal): Promise<void>;
  /**
   * Merges rows by their key; may be repeated. None that is refused keeps the others out.
   *
   * @param rows of the outSchema, with different keys.
   * @param check tells whether the claim holds: nothing is written when it rejects.
   * @returns for each of them why it is refused, without its values; undefined: it is there.
   * @throws Away when some may be there or none, WholeRunError, what the check throws, or the signal's reason.
   */
  merge(
    rows: readonly RecordValue[],
    signal: AbortSignal,
    check: () => Promise<void>,
  ): Promise<readonly (string | undefined)[]>;
  /**
   * Texts of keys that are equal where the destination takes the keys for one, in their order.
   *
   * @throws Away, WholeRunError, or the signal's reason.
   */
  equalTexts(keys: readonly string[], signal: AbortSignal): Promise<readonly string[]>;
  /** Releases what it holds; may be called again. */
  close(): Promise<void>;
}
