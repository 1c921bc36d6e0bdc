import { constants } from 'node:fs';
import {
  type FileHandle,
  lstat,
  open,
  readdir,
  realpath,
  rename,
  rm,
  stat,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { FileFault } from '@penstock/files';
import { codeOf } from '@penstock/egress';
import { types } from 'node:util';
import type { FileDestination, NewFile } from '../../connector/file-destination';
import { folderStepsOf } from '../check-path';
import { ABANDONED_MS, temporaryName, unfinishedPrefix } from '../temporary-name';
import { checkWanted, untilGivenUp } from '../until-given-up';
import { checkBelow } from './check-below';
import { writeFault } from './system-fault';

const isMissing = (error: unknown): boolean =>
  types.isNativeError(error) && codeOf(error) === 'ENOENT';

/**
 * The place that a path leads to when all links are followed; there may be no file yet.
 *
 * @throws FileFault InvalidPath when that is no file below the root.
 */
const placeOf = async (root: string, path: string): Promise<string> => {
  const realRoot = await realpath(root);
  const folder = await realpath(dirname(path));
  checkBelow(folder, realRoot);
  const place = join(folder, basename(path));
  const found = await lstat(place).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (found === undefined) return place;
  const real = found.isSymbolicLink() ? await realpath(place) : place;
  checkBelow(real, realRoot);
  const file = await stat(real);
  if (file.isFile()) return real;
  throw new FileFault('InvalidPath', file.isDirectory() ? 'is a folder' : 'is not a file');
};

/** Judges what was created, so that a link that is exchanged meanwhile gains nothing. */
const create = async (root: string, path: string): Promise<FileHandle> => {
  const handle = await open(
    path,
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
  );
  try {
    const [realRoot, real] = await Promise.all([realpath(root), realpath(path)]);
    checkBelow(real, realRoot);
    const [created, judged] = await Promise.all([handle.stat(), stat(real)]);
    if (created.ino !== judged.ino || created.dev !== judged.dev)
      throw new FileFault('Unavailable', 'folder was exchanged while the file was created');
    return handle;
  } catch (error) {
    await handle.close();
    await rm(path, { force: true });
    throw error;
  }
};

const append = async (handle: FileHandle, chunk: Uint8Array): Promise<void> => {
  try {
    await handle.writeFile(chunk);
  } catch (error) {
    throw writeFault(error);
  }
};

const fill = async (
  handle: FileHandle,
  bytes: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<void> => {
  for await (const chunk of untilGivenUp(bytes, signal)) await append(handle, chunk);
  await handle.sync().catch((error: unknown) => {
    throw writeFault(error);
  });
};

/** Without this the new name may be lost with the power of the machine. */
const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** Removes what killed processes left behind of the same file. */
const removeAbandoned = async (place: string): Promise<void> => {
  const folder = dirname(place);
  const prefix = unfinishedPrefix(basename(place));
  for (const name of (await readdir(folder)).filter((each) => each.startsWith(prefix))) {
    const path = join(folder, name);
    const found = await lstat(path).catch(() => undefined);
    if (found !== undefined && Date.now() - found.mtimeMs > ABANDONED_MS)
      await rm(path, { force: true });
  }
};

const prepared = async (
  root: string,
  path: string,
): Promise<{ readonly place: string; readonly temporary: string; readonly handle: FileHandle }> => {
  try {
    const place = await placeOf(root, path);
    await removeAbandoned(place);
    const temporary = join(dirname(place), temporaryName(basename(place)));
    return { place, temporary, handle: await create(root, temporary) };
  } catch (error) {
    throw writeFault(error);
  }
};

const write = async (
  root: string,
  { path, bytes }: NewFile,
  signal: AbortSignal,
): Promise<void> => {
  const { place, temporary, handle } = await prepared(root, join(root, ...folderStepsOf(path)));
  try {
    try {
      await fill(handle, bytes, signal);
    } finally {
      await handle.close();
    }
    // The disk may have taken its time: who has given up meanwhile has been told that the file is as before.
    checkWanted(signal);
    await rename(temporary, place).catch((error: unknown) => {
      throw writeFault(error);
    });
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncFolder(dirname(place)).catch((error: unknown) => {
    throw writeFault(error);
  });
};

/**
 * Files below a folder. A file is written under another name in its folder, which must be there, and gets its own name
 * when it is complete and on disk. A symbolic link itself is followed.
 *
 * @param root folder below which files are.
 */
export const filesystemDestination = (root: string): FileDestination => ({
  isRepeatable: true,
  absolutePath: (path) => join(root, ...folderStepsOf(path)),
  write: (file, _, { signal }) => write(root, file, signal),
});
