import type { JsonString } from '../pipeline.facts';
import { always, query } from './operation';

/** A file of a storage, and how it is to be read. */
export interface FileWanted {
  /** A connection with a storage. */
  readonly connection: string;
  readonly path: string;
  /** Code of a format. */
  readonly format: string;
  /** `''`: not compressed. */
  readonly compression: string;
  /** A JSON object as the client wrote it. */
  readonly formatSettings: JsonString;
}

/** Asks for the columns and the first records of a file. */
export interface ReadFile extends FileWanted {
  /** Of a format that has sheets. */
  readonly sheet: string | null;
  /** How many records at most; 0 to 100. */
  readonly limit: number;
  /** Whether the caller may see values; else each is masked. */
  readonly withValues: boolean;
}

/** The columns and the first records of a file. */
export interface FileExcerpt {
  readonly records: readonly JsonString[];
  readonly schema: JsonString;
  /** What is left out, and why: columns, then records. */
  readonly issues: readonly string[];
}

const OF_A_FILE = [
  'ConnectionNotExist',
  'FormatNotExist',
  'InvalidSettings',
  'InvalidPath',
  'InvalidPlaceholder',
  'InvalidFile',
] as const;

/** Looks into the files of a storage. Each is refused with BadRequest for a connection without files. */
export const FILE_OPERATIONS = {
  ReadFile: query<ReadFile, FileExcerpt>({
    refusals: [...OF_A_FILE, 'NoColumnsFound', 'SheetNotExist'],
    isSlow: always,
    carriesRecords: true,
  }),
  /** In their order. */
  ListSheets: query<FileWanted, { readonly sheets: readonly string[] }>({
    refusals: OF_A_FILE,
    isSlow: always,
    carriesRecords: true,
  }),
  GetAbsolutePath: query<
    { readonly connection: string; readonly path: string },
    { readonly path: string }
  >({ refusals: ['ConnectionNotExist', 'InvalidPath', 'InvalidPlaceholder'] }),
};
