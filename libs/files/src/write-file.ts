import type { RecordValue } from '@penstock/schema';
import { compressed, type PackedFile } from './compression/compressed';
import type { Compression } from './compression/decompressed';
import type { FileFormat } from './format/file-format';
import type { FileWriter, TableWriting } from './format/file-writer';

/** How a file is to be written. */
export interface FileWriting extends TableWriting {
  readonly format: FileFormat;
  readonly compression: Compression;
  /** Of the file in a Zip file; others say nothing of theirs. */
  readonly packed: PackedFile;
}

/** Media types of compressed files. */
const PACKED_TYPES: Readonly<Record<Exclude<Compression, ''>, string>> = {
  Zip: 'application/zip',
  Gzip: 'application/gzip',
  Snappy: 'application/x-snappy-framed',
};

/** A file that can be written. */
export interface WritableFile extends Pick<FileWriter, 'problemOf'> {
  /** Media type of {@link bytes}. */
  readonly contentType: string;
  /** Makes the bytes of the file with these records; see {@link FileWriter.write}. */
  bytes(records: AsyncIterable<readonly RecordValue[]>): AsyncIterable<Uint8Array>;
}

/**
 * Prepares a file.
 *
 * @throws FileFault when no file of the format can have these columns, or this sheet.
 */
export const writableFile = ({
  format,
  compression,
  packed,
  ...table
}: FileWriting): WritableFile => {
  const writer = format.writer(table);
  return {
    problemOf: (record) => writer.problemOf(record),
    contentType: compression === '' ? format.contentType : PACKED_TYPES[compression],
    bytes: (records) => compressed(writer.write(records), compression, packed),
  };
};
