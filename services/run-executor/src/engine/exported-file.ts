import type { RecordValue } from '@penstock/schema';

/** The file that an export writes. */
export interface ExportedFile {
  /** Whether it may be written again after an attempt of which it is not known what has come of it. */
  readonly isRepeatable: boolean;
  /** Why a record cannot be in the file, without its values; undefined when it can. */
  problemOf(record: RecordValue): string | undefined;
  /**
   * Writes the file. It has its place when this resolves; what was there before stays until then.
   *
   * @param records without a {@link problemOf}, in their order.
   * @throws Away, WholeRunError, what the records throw, or the signal's reason.
   */
  write(records: AsyncIterable<readonly RecordValue[]>, signal: AbortSignal): Promise<void>;
}
