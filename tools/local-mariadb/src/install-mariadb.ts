import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const CACHE = join(__dirname, '..', '..', '..', '.cache', 'mariadb');
/** Where systems keep servers, which not every user's `PATH` names. */
const SYSTEM = ['/usr', '/usr/local', '/opt/homebrew'];
/** The server and the libraries that a machine without it may not have. */
const PACKAGES = ['mariadb-server-core', 'libaio1', 'liburing2'];
const DOWNLOAD_TIMEOUT_MS = 300_000;

/** The files of a MariaDB. */
export interface MariadbFiles {
  readonly server: string;
  /** Messages, character sets and the statements that make a new data folder. */
  readonly share: string;
  /** Folders of libraries that come with it. */
  readonly libraries: readonly string[];
}

const below = (root: string): MariadbFiles | undefined => {
  const server = ['sbin', 'bin', 'libexec']
    .map((folder) => join(root, folder, 'mariadbd'))
    .find(existsSync);
  const share = ['mysql', 'mariadb']
    .map((folder) => join(root, 'share', folder))
    .find((folder) => existsSync(join(folder, 'mysql_system_tables.sql')));
  if (server === undefined || share === undefined) return undefined;
  const lib = join(root, 'lib');
  const libraries = existsSync(lib) ? readdirSync(lib).map((folder) => join(lib, folder)) : [];
  return { server, share, libraries: root.startsWith(CACHE) ? libraries : [] };
};

/** Downloads the packages and unpacks them, nothing of which needs rights; lists of packages do. */
const download = async (folder: string): Promise<void> => {
  const options = { cwd: folder, timeout: DOWNLOAD_TIMEOUT_MS };
  const get = () => run('apt-get', ['download', ...PACKAGES], options);
  await get().catch(async () => {
    await run('apt-get', ['update'], options);
    await get();
  });
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.deb'))) {
    await run('dpkg-deb', ['-x', file, '.'], options);
    await rm(join(folder, file));
  }
};

/**
 * Finds the MariaDB of the machine, else downloads Debian's to `.cache/mariadb`, once. The folder is created atomically.
 *
 * @throws Error when there is none and none can be had; a later call tries again.
 */
export const installMariadb = async (): Promise<MariadbFiles> => {
  const cached = join(CACHE, 'usr');
  const found = [...SYSTEM, cached].map(below).find((files) => files !== undefined);
  if (found !== undefined) return found;
  const partial = `${CACHE}.${randomUUID()}`;
  try {
    await mkdir(partial, { recursive: true });
    await download(partial);
    // Another process may have been faster: what it has made is as good.
    await rename(partial, CACHE).catch(() => undefined);
  } catch (cause) {
    throw new Error('there is no MariaDB: install the package mariadb-server', { cause });
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  const files = below(cached);
  if (files === undefined) throw new Error(`${CACHE} holds no MariaDB: remove it`);
  return files;
};
