import { type Compression, type Decompressed, decompressed } from './compression/decompressed';
import { contentOf } from './content/content';
import { limited } from './content/limited';
import type { ReadingOptions } from './content/reading-options';
import type { StoredFile } from './content/stored-file';
import type { FileFormat, FileTable, TableWanted } from './format/file-format';

/** How a file is to be read. */
export interface FileReading {
  readonly format: FileFormat;
  readonly compression: Compression;
  readonly options: ReadingOptions;
}

const bounded = (
  content: Decompressed,
  { maxBytes = Infinity, signal }: ReadingOptions,
): Decompressed => ({ ...content, bytes: limited(content.bytes, maxBytes, signal) });

const undone = async <T>(
  file: StoredFile,
  { compression, options }: FileReading,
  work: (content: Decompressed) => Promise<T>,
): Promise<T> => {
  try {
    const content = bounded(await decompressed(file, compression, options), options);
    try {
      return await work(content);
    } catch (error) {
      await content.close();
      throw error;
    }
  } catch (error) {
    await file.close();
    throw error;
  }
};

/**
 * The records of a stored file.
 *
 * @param file is closed with the table, and when there is none.
 * @throws FileFault
 */
export const openTable = (
  file: StoredFile,
  reading: FileReading,
  wanted: TableWanted,
): Promise<FileTable & { readonly modifiedAt: Date | undefined }> =>
  undone(file, reading, async (content) => {
    const { bytes, modifiedAt } = content;
    const table = await reading.format.open(contentOf(bytes, reading.options), wanted);
    return {
      schema: table.schema,
      unit: table.unit,
      issues: table.issues,
      ...(table.count !== undefined && { count: table.count }),
      records: table.records,
      modifiedAt,
      close: async () => {
        await table.close();
        await content.close();
        await file.close();
      },
    };
  });

/**
 * The names of the sheets of a stored file, in their order; empty for a format without sheets.
 *
 * @param file is closed.
 * @throws FileFault
 */
export const sheetsOf = (file: StoredFile, reading: FileReading): Promise<readonly string[]> =>
  undone(file, reading, async (content) => {
    const { bytes } = content;
    const sheets = await reading.format.sheets(contentOf(bytes, reading.options));
    await content.close();
    await file.close();
    return sheets;
  });
