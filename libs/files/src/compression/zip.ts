import { FileFault } from '../content/file-fault';
import type { ZipLimits } from '../content/reading-options';
import type { SpooledFile } from '../content/spooled-file';
import { filesInZip } from '../zip/zip-archive';

/** The one file of a Zip file. */
export interface Unzipped {
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly modifiedAt: Date;
  /** Removes what was spooled; may be called again. */
  close(): Promise<void>;
}

async function* closing(
  bytes: AsyncIterable<Uint8Array>,
  spooled: SpooledFile,
): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } finally {
    await spooled.close();
  }
}

/**
 * Opens the one file of a Zip file.
 *
 * @param spooled is closed when the file is read or closed, or cannot be opened.
 * @throws FileFault InvalidFile
 */
export const unzipped = async (spooled: SpooledFile, limits?: ZipLimits): Promise<Unzipped> => {
  try {
    const [file, other] = await filesInZip(spooled, limits);
    if (file === undefined) throw new FileFault('InvalidFile', 'holds no file');
    if (other !== undefined)
      throw new FileFault('InvalidFile', 'holds several files instead of one');
    return {
      bytes: closing(file.read(), spooled),
      modifiedAt: file.modifiedAt,
      close: () => spooled.close(),
    };
  } catch (error) {
    await spooled.close();
    throw error;
  }
};
