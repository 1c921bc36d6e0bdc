import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { FileFault } from './file-fault';

/** Where content is kept that cannot be read from front to back, and how much of it. */
export interface SpoolOptions {
  /** A folder that the process may write to. */
  readonly folder: string;
  /** Bytes that are kept of one file at most. */
  readonly maxBytes: number;
}

/** Content on disk, to be read in any order. */
export interface SpooledFile {
  readonly size: number;
  /** Descriptor for libraries that read by themselves; valid until {@link close}. */
  readonly fd: number;
  /**
   * Some bytes.
   *
   * @throws FileFault InvalidFile when they are not all there.
   */
  read(start: number, end: number): Promise<Uint8Array>;
  /** Removes the content; may be called again. */
  close(): Promise<void>;
}

const MODE_OF_OWNER = 0o600;

/** The file has no name any more when this returns: whatever becomes of the process, nothing is left. */
const nameless = async (folder: string): Promise<FileHandle> => {
  const path = join(folder, `penstock-file-${randomUUID()}`);
  try {
    const handle = await open(path, 'wx+', MODE_OF_OWNER);
    await unlink(path);
    return handle;
  } catch (cause) {
    throw new FileFault(
      'Unavailable',
      'file has to be kept on disk to be read, and the service has no folder to write to',
      { cause },
    );
  }
};

/** @throws FileFault Unavailable when the disk is full. */
const append = async (handle: FileHandle, chunk: Uint8Array): Promise<void> => {
  try {
    await handle.writeFile(chunk);
  } catch (cause) {
    throw new FileFault('Unavailable', 'file cannot be kept on disk', { cause });
  }
};

const writeAll = async (
  handle: FileHandle,
  bytes: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<number> => {
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    await append(handle, chunk);
  }
  return size;
};

const tooLarge = (maxBytes: number): FileFault =>
  new FileFault(
    'InvalidFile',
    `is larger than ${String(Math.floor(maxBytes / 1_048_576))} MiB, and cannot be read from front to back`,
  );

const readExactly = async (handle: FileHandle, start: number, end: number): Promise<Uint8Array> => {
  const bytes = new Uint8Array(end - start);
  for (let at = 0; at < bytes.length;) {
    const { bytesRead } = await handle.read(bytes, at, bytes.length - at, start + at);
    if (bytesRead === 0) throw new FileFault('InvalidFile', 'is cut off');
    at += bytesRead;
  }
  return bytes;
};

/**
 * Writes content to disk until it ends.
 *
 * @throws FileFault InvalidFile when there is too much of it, Unavailable when it cannot be written; what the content
 *   throws.
 */
export const spool = async (
  bytes: AsyncIterable<Uint8Array>,
  { folder, maxBytes }: SpoolOptions,
): Promise<SpooledFile> => {
  const handle = await nameless(folder);
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (!isOpen) return;
    isOpen = false;
    await handle.close();
  };
  try {
    const size = await writeAll(handle, bytes, maxBytes);
    return {
      size,
      fd: handle.fd,
      close,
      read: (start, end) => {
        if (start < 0 || end < start || end > size)
          return Promise.reject(new FileFault('InvalidFile', 'is cut off'));
        return readExactly(handle, start, end);
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
};
