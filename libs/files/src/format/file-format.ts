import type { RecordValue, Schema } from '@penstock/schema';
import type { Form } from '@penstock/settings';
import type { JsonObject } from '@penstock/schema';
import type { Content } from '../content/content';
import type { FileWriter, TableWriting } from './file-writer';

/** A record of a file, or why there is none. */
export type FileRecord =
  | {
      /** Number of its {@link FileTable.unit} in the file, from 1. */
      readonly row: number;
      /** Of the schema of the table. */
      readonly values: RecordValue;
    }
  | {
      readonly row: number;
      /** What is wrong with the record, which does not end the reading. Repeats no value. */
      readonly error: string;
      /** Values of the columns that can be read; absent: the row cannot be divided into columns. */
      readonly readable?: RecordValue;
    };

/** Lines of a text, rows of a sheet, or records. */
export type RowUnit = 'line' | 'row' | 'record';

/** The records of a file, opened for reading once. */
export interface FileTable {
  readonly schema: Schema;
  /** What the numbers of records count. */
  readonly unit: RowUnit;
  /** Records of the file; absent: it does not say before it is read. */
  readonly count?: number;
  /** Columns that are left out, and why: a sentence for each. */
  readonly issues: readonly string[];
  /**
   * In batches, in the order of the file; memory does not grow with the file. Rejects with `FileFault` when the
   * rest cannot be read. Ending early releases what is held.
   */
  readonly records: AsyncIterable<readonly FileRecord[]>;
  /** Releases what the table holds; may be called again. */
  close(): Promise<void>;
}

/** What is wanted of a file. */
export interface TableWanted {
  /** The sheet, for formats that have them. */
  readonly sheet?: string | undefined;
  /** As {@link FileFormat.settings} accepted them. */
  readonly settings: JsonObject;
  /** Names of the properties that records have; the columns of others are not read. Absent: all. */
  readonly columns?: ReadonlySet<string>;
}

/** A format of files of records. */
export interface FileFormat {
  /** Lower-case, stable, never re-used. */
  readonly code: string;
  readonly label: string;
  /** Media type. */
  readonly contentType: string;
  /** Without the dot. */
  readonly fileExtension: string;
  /** Whether files have sheets, of which one is read. */
  readonly hasSheets: boolean;
  /** What `formatSettings` may hold: an object. */
  readonly settings: Form;
  /** The same where files are written. Absent: {@link settings}. */
  readonly writingSettings?: Form;
  /**
   * The names of the sheets, in their order; only where {@link hasSheets}.
   *
   * @throws FileFault
   */
  sheets(content: Content): Promise<readonly string[]>;
  /**
   * Reads the columns.
   *
   * @throws FileFault
   */
  open(content: Content, wanted: TableWanted): Promise<FileTable>;
  /**
   * Prepares files with these columns.
   *
   * @throws FileFault InvalidFile, SheetNotExist when no file can have them, or no sheet the name.
   */
  writer(table: TableWriting): FileWriter;
}

/** The names of the sheets of a file without any. */
export const noSheets = (): Promise<readonly string[]> => Promise.resolve([]);
