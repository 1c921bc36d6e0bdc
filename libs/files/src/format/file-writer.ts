import type { JsonObject, RecordValue, Schema } from '@penstock/schema';
import { FileFault } from '../content/file-fault';

/** What is to be written. */
export interface TableWriting {
  /** The columns. */
  readonly schema: Schema;
  /** The name of the sheet, for formats that have them. */
  readonly sheet?: string | undefined;
  /** As {@link FileFormat.settings} accepted them. */
  readonly settings: JsonObject;
}

/** Writes files of one format with the same columns. */
export interface FileWriter {
  /**
   * Why a record cannot be in the file; undefined when it can. Repeats no value.
   *
   * @param record of the schema.
   */
  problemOf(record: RecordValue): string | undefined;
  /**
   * The bytes of a file with these records, in their order; memory does not grow with the file. A property that is
   * missing is written like null.
   *
   * @param records without a {@link problemOf}; what they throw is thrown.
   * @throws FileFault InvalidFile for a record with a problem, or for more records than a file may have.
   */
  write(records: AsyncIterable<readonly RecordValue[]>): AsyncGenerator<Uint8Array>;
}

/** The problem of a format for which no record has any. */
export const noProblem = (): undefined => undefined;

/** @throws FileFault InvalidFile for a record that cannot be written. */
export const checkRecord = (
  { problemOf }: Pick<FileWriter, 'problemOf'>,
  record: RecordValue,
  number: number,
): void => {
  const problem = problemOf(record);
  if (problem !== undefined)
    throw new FileFault('InvalidFile', `record ${String(number)} cannot be written: ${problem}`);
};
