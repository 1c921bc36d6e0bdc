import type { ReadingOptions } from '../content/reading-options';
import { spool } from '../content/spooled-file';
import type { StoredFile } from '../content/stored-file';
import { gunzipped } from './gzip';
import { unsnappied } from './snappy';
import { unzipped } from './zip';

/** How files may be compressed; `''`: not at all. */
export const COMPRESSIONS = ['', 'Zip', 'Gzip', 'Snappy'] as const;

/** One of {@link COMPRESSIONS}. */
export type Compression = (typeof COMPRESSIONS)[number];

/** The content of a file without its compression. */
export interface Decompressed {
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Of the file in a Zip file, else of the stored file. */
  readonly modifiedAt: Date | undefined;
  /** Releases what is held; may be called again. */
  close(): Promise<void>;
}

/**
 * Undoes the compression of a file.
 *
 * @throws FileFault InvalidFile for a Zip file that cannot be read; other compressions are found out while reading.
 */
export const decompressed = async (
  file: Pick<StoredFile, 'bytes' | 'modifiedAt' | 'close'>,
  compression: Compression,
  { spool: options, zip }: ReadingOptions,
): Promise<Decompressed> => {
  const { bytes, modifiedAt } = file;
  const close = (): Promise<void> => file.close();
  switch (compression) {
    case '':
      return { bytes, modifiedAt, close };
    case 'Gzip':
      return { bytes: gunzipped(bytes), modifiedAt, close };
    case 'Snappy':
      return { bytes: unsnappied(bytes), modifiedAt, close };
    case 'Zip':
      return unzipped(await spool(bytes, options), zip);
  }
};
