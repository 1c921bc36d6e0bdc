import { fromFd, type Entry, type ZipFile } from 'yauzl';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { types } from 'node:util';
import { crc32 } from 'node:zlib';
import { FileFault } from '../content/file-fault';
import type { ZipLimits } from '../content/reading-options';
import type { SpooledFile } from '../content/spooled-file';

/** Source: the bomb guard of the specification. */
const ZIP_LIMITS: ZipLimits = { maxRatio: 1_000, maxBytes: 100 * 2 ** 30 };

/** Entries that are listed at most. */
const MAX_ENTRIES = 1_000;

const fault = (message: string, cause?: unknown): FileFault =>
  new FileFault('InvalidFile', message, { cause });

const notZip = (cause: unknown): FileFault =>
  cause instanceof FileFault ? cause : fault('is no Zip file, or is cut off or damaged', cause);

/** The descriptor stays with the spool. */
const opened = ({ fd, size }: SpooledFile): Promise<ZipFile> =>
  new Promise((resolve, reject) => {
    if (size === 0) {
      reject(fault('is empty, and no Zip file'));
      return;
    }
    fromFd(fd, { lazyEntries: true, autoClose: false }, (error, zip) => {
      if (error !== null) {
        reject(notZip(error));
        return;
      }
      // Whoever waits for something is told of its error; there must be a listener between two waits too.
      zip.on('error', () => undefined);
      resolve(zip);
    });
  });

const entriesOf = async (zip: ZipFile): Promise<readonly Entry[]> => {
  if (zip.entryCount > MAX_ENTRIES) throw fault(`holds more than ${String(MAX_ENTRIES)} files`);
  const entries: Entry[] = [];
  while (entries.length < zip.entryCount) {
    const next = once(zip, 'entry') as Promise<[Entry]>;
    zip.readEntry();
    entries.push((await next)[0]);
  }
  return entries;
};

/** @throws FileFault for what cannot be read, or would become too large. */
const checkEntry = (entry: Entry, { maxRatio, maxBytes }: ZipLimits): void => {
  if (entry.isEncrypted()) throw fault('is encrypted');
  const { uncompressedSize: bytes, compressedSize } = entry;
  if (bytes > maxBytes || bytes > compressedSize * maxRatio)
    throw fault(
      `would become too large: ${String(bytes)} bytes out of ${String(compressedSize)}; at most ${String(maxRatio)} times as many are read, and ${String(maxBytes)}`,
    );
};

const streamOf = (zip: ZipFile, entry: Entry): Promise<Readable> =>
  new Promise((resolve, reject) => {
    zip.openReadStream(entry, (error, stream) => {
      if (error !== null) reject(notZip(error));
      else resolve(stream);
    });
  });

async function* read(zip: ZipFile, entry: Entry): AsyncGenerator<Uint8Array> {
  let stream: Readable | undefined;
  try {
    stream = await streamOf(zip, entry);
    let crc = 0;
    for await (const chunk of stream) {
      crc = crc32(chunk as Uint8Array, crc);
      yield chunk as Uint8Array;
    }
    if (crc !== entry.crc32) throw fault('is damaged: the check sum of the Zip file is wrong');
  } catch (error) {
    throw types.isNativeError(error) ? notZip(error) : error;
  } finally {
    stream?.destroy();
  }
}

/** An entry of a Zip file, folders aside. */
export interface ZippedFile {
  readonly name: string;
  readonly modifiedAt: Date;
  /**
   * The content, as often as it is called.
   *
   * @throws FileFault InvalidFile when it is encrypted, or would become too large; while reading, when it is damaged.
   */
  read(): AsyncGenerator<Uint8Array>;
}

/**
 * The files in a Zip file.
 *
 * @param spooled must stay open while files are read.
 * @throws FileFault InvalidFile when it is no Zip file.
 */
export const filesInZip = async (
  spooled: SpooledFile,
  limits: ZipLimits = ZIP_LIMITS,
): Promise<readonly ZippedFile[]> => {
  try {
    const zip = await opened(spooled);
    const entries = await entriesOf(zip);
    return entries
      .filter(({ fileName }) => !fileName.endsWith('/'))
      .map((entry) => ({
        name: entry.fileName,
        modifiedAt: entry.getLastModDate(),
        read: () => {
          checkEntry(entry, limits);
          return read(zip, entry);
        },
      }));
  } catch (error) {
    throw notZip(error);
  }
};
