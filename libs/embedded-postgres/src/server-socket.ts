import { readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Directory of the server's socket: the cluster itself, the server's working directory, which other accounts cannot
 * enter. Empty on Windows, where Node does not support such sockets.
 */
export const SOCKET_DIRECTORY = process.platform === 'win32' ? '' : '.';

/** Maximal length of a socket's path in bytes that works on every system: macOS allows 103, Linux 107. */
const MAX_PATH_BYTES = 103;

const PREFIX = '.s.PGSQL.';

/** Removes the sockets of killed servers; failures are ignored. No server of the cluster may be running. */
export const removeStaleSockets = async (clusterDir: string): Promise<void> => {
  const names = await readdir(clusterDir);
  for (const name of names.filter((each) => each.startsWith(PREFIX)))
    await unlink(join(clusterDir, name)).catch(() => undefined);
};

/**
 * Finds the directory of the server's socket. A connection through it takes half the CPU of one over loopback.
 *
 * @returns undefined where the path is too long, and for a running server that an older release started without a
 *   socket.
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
