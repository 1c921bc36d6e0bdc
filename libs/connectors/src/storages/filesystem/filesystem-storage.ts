import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { types } from 'node:util';
import { FileFault, type StoredFile } from '@penstock/files';
import { codeOf } from '@penstock/egress';
import type { FileStorage } from '../../connector/file-storage';
import { folderStepsOf } from '../check-path';

/** Codes of the system that say something about the path; others are about the machine. */
const OF_THE_PATH: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EISDIR: 'is a folder',
  ENXIO: 'is not a file',
  ELOOP: 'leads to no file: its symbolic links form a loop',
  ENAMETOOLONG: 'is too long for the file system',
  EACCES: 'may not be read by the service',
  EPERM: 'may not be read by the service',
};

const faultOf = (error: unknown): FileFault => {
  if (error instanceof FileFault) return error;
  const code = types.isNativeError(error) ? codeOf(error) : '';
  const message = OF_THE_PATH[code];
  return message === undefined
    ? new FileFault('Unavailable', `file cannot be read (${code})`, { cause: error })
    : new FileFault('InvalidPath', message);
};

/** Whether a path without symbolic links lies below a root without any. */
const isBelow = (path: string, root: string): boolean =>
  path.startsWith(root.endsWith(sep) ? root : root + sep);

/**
 * Opens first and judges then what was opened, so that a link that is exchanged meanwhile gains nothing.
 *
 * @throws FileFault unless the file lies below the root when all links are followed.
 */
const openBelow = async (
  root: string,
  path: string,
): Promise<{ readonly handle: FileHandle; readonly opened: Stats }> => {
  // Without O_NONBLOCK, opening a pipe would wait for its writer.
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const [realRoot, real] = await Promise.all([realpath(root), realpath(path)]);
    if (!isBelow(real, realRoot))
      throw new FileFault('InvalidPath', 'leads out of the root of the storage');
    const [opened, judged] = await Promise.all([handle.stat(), stat(real)]);
    if (!opened.isFile())
      throw new FileFault('InvalidPath', opened.isDirectory() ? 'is a folder' : 'is not a file');
    if (opened.ino !== judged.ino || opened.dev !== judged.dev)
      throw new FileFault('Unavailable', 'file was exchanged while it was opened');
    return { handle, opened };
  } catch (error) {
    await handle.close();
    throw error;
  }
};

async function* read(handle: FileHandle, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    const stream = handle.createReadStream({
      autoClose: false,
      highWaterMark: 256 * 1_024,
      signal,
    });
    for await (const chunk of stream) yield chunk as Uint8Array;
  } catch (error) {
    throw signal.aborted ? new FileFault('Unavailable', 'reading was given up') : faultOf(error);
  } finally {
    await handle.close();
  }
}

/** @param root folder below which files are; a symbolic link itself is followed. */
export const filesystemStorage = (root: string): FileStorage => ({
  absolutePath: (path) => join(root, ...folderStepsOf(path)),
  open: async (path, _, { signal }): Promise<StoredFile> => {
    const file = join(root, ...folderStepsOf(path));
    try {
      const { handle, opened } = await openBelow(root, file);
      const { mtime, size, ino } = opened;
      return {
        bytes: read(handle, signal),
        modifiedAt: mtime,
        size,
        tag: `${String(ino)}-${String(size)}-${String(mtime.getTime())}`,
        close: () => handle.close(),
      };
    } catch (error) {
      throw faultOf(error);
    }
  },
});
