import { fromFd, type Entry, type ZipFile } from 'yauzl';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { types } from 'node:util';
import { crc32 } from 'node:zlib';
import { FileFault } from '../content/file-fault';
import type { SpooledFile } from '../content/spooled-file';

/** What a Zip file may hold at most. */
export interface ZipLimits {
  /** Decompressed bytes for each compressed one. */
  readonly maxRatio: number;
  /** Decompressed bytes. */
  readonly maxBytes: number;
}

/** Source: the bomb guard of the specification. */
export const ZIP_LIMITS: ZipLimits = { maxRatio: 1_000, maxBytes: 100 * 2 ** 30 };

/** Entries that are looked at: one file is expected, folders aside. */
const MAX_ENTRIES = 1_000;

const fault = (message: string, cause?: unknown): FileFault =>
  new FileFault('InvalidFile', message, { cause });

const notZip = (cause: unknown): FileFault =>
  cause instanceof FileFault
    ? cause
    : fault('is no Zip file, or is cut off or damaged', cause);

/** The file is spooled, and the descriptor stays with the spool. */
const opened = ({ fd, size }: SpooledFile): Promise<ZipFile> =>
  new Promise((resolve, reject) => {
    if (size === 0) return void reject(fault('is empty, and no Zip file'));
    fromFd(fd, { lazyEntries: true, autoClose: false }, (error, zip) => {
      if (error !== null) reject(notZip(error));
      else resolve(zip);
    });
  });

async function* entriesOf(zip: ZipFile): AsyncGenerator<Entry> {
  const ended = once(zip, 'end').then(() => undefined);
  for (let count = 0; count < zip.entryCount; count += 1) {
    const next = once(zip, 'entry').then(([entry]) => entry as Entry);
    zip.readEntry();
    const entry = await Promise.race([next, ended]);
    if (entry === undefined) return;
    yield entry;
  }
}

const isFolder = ({ fileName }: Entry): boolean => fileName.endsWith('/');

/** @throws FileFault unless there is exactly one file. */
const onlyFile = async (zip: ZipFile): Promise<Entry> => {
  if (zip.entryCount > MAX_ENTRIES) throw fault('holds several files instead of one');
  let found: Entry | undefined;
  try {
    for await (const entry of entriesOf(zip)) {
      if (isFolder(entry)) continue;
      if (found !== undefined) throw fault('holds several files instead of one');
      found = entry;
    }
  } catch (error) {
    throw notZip(error);
  }
  if (found === undefined) throw fault('holds no file');
  return found;
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

async function* read(
  zip: ZipFile,
  entry: Entry,
  close: () => Promise<void>,
): AsyncGenerator<Uint8Array> {
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
    await close();
  }
}

/** The one file of a Zip file. */
export interface Unzipped {
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly modifiedAt: Date;
  /** Removes what was spooled; may be called again. */
  close(): Promise<void>;
}

/**
 * Opens the one file of a Zip file.
 *
 * @param spooled is closed when the file is read or closed, or cannot be opened.
 * @throws FileFault InvalidFile
 */
export const unzipped = async (
  spooled: SpooledFile,
  limits: ZipLimits = ZIP_LIMITS,
): Promise<Unzipped> => {
  try {
    const zip = await opened(spooled);
    const entry = await onlyFile(zip);
    checkEntry(entry, limits);
    const close = (): Promise<void> => spooled.close();
    return { bytes: read(zip, entry, close), modifiedAt: entry.getLastModDate(), close };
  } catch (error) {
    await spooled.close();
    throw error;
  }
};
