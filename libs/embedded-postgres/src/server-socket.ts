import { readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';

/** The cluster itself, in which the server runs and which nobody else may enter. Node knows no such sockets on Windows. */
export const SOCKET_DIRECTORY = process.platform === 'win32' ? '' : '.';

/** Bytes that a socket's path may have on every system: macOS takes 103, Linux 107. */
const MAX_PATH_BYTES = 103;

const PREFIX = '.s.PGSQL.';

/** Removes what killed servers have left, as far as it can be; none may be running. */
export const removeStaleSockets = async (clusterDir: string): Promise<void> => {
  const names = await readdir(clusterDir);
  for (const name of names.filter((each) => each.startsWith(PREFIX)))
    await unlink(join(clusterDir, name)).catch(() => undefined);
};

/**
 * Finds the directory by which the server is reached past the network, which takes half the CPU that loopback takes.
 *
 * @returns undefined where the path is too long, and for a server that an older release has left running.
 */
export const socketDirectoryOf = async (
  clusterDir: string,
  port: number,
): Promise<string | undefined> => {
  const path = join(clusterDir, `${PREFIX}${port}`);
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return undefined;
  const found = await stat(path).catch(() => undefined);
  return found?.isSocket() === true ? clusterDir : undefined;
};
