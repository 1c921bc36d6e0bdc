import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { FileFault, type StoredFile } from '@penstock/files';
import type { FileStorage } from '../../connector/file-storage';
import { folderStepsOf } from '../check-path';
import { checkBelow } from './check-below';
import { readFault } from './system-fault';

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
    checkBelow(real, realRoot);
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
    throw signal.aborted ? new FileFault('Unavailable', 'reading was given up') : readFault(error);
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
      throw readFault(error);
    }
  },
});
