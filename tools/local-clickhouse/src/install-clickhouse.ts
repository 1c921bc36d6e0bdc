import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const CACHE = join(__dirname, '..', '..', '..', '.cache', 'clickhouse');
const PACKAGE = 'clickhouse-server';
const DOWNLOAD_TIMEOUT_MS = 300_000;

/** The files of a ClickHouse. */
interface ClickhouseFiles {
  readonly server: string;
  /** Folders of libraries that come with it. */
  readonly libraries: readonly string[];
}

const below = (root: string): ClickhouseFiles | undefined => {
  const server = join(root, 'usr', 'sbin', 'clickhouse-server');
  if (!existsSync(server)) return undefined;
  const lib = [join(root, 'usr', 'lib'), join(root, 'lib')].filter(existsSync);
  const libraries = lib.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
  return { server, libraries };
};

/** The package and what this machine lacks for it, which does not need rights to be asked. */
const packages = async (folder: string): Promise<readonly string[]> => {
  const arguments_ = ['install', '--simulate', '--reinstall', '--no-install-recommends', PACKAGE];
  const { stdout } = await run('apt-get', arguments_, { cwd: folder });
  return Array.from(stdout.matchAll(/^Inst (\S+)/gm), ([, name = '']) => name);
};

/** Downloads the packages and unpacks them, nothing of which needs rights; lists of packages do. */
const download = async (folder: string): Promise<void> => {
  const options = { cwd: folder, timeout: DOWNLOAD_TIMEOUT_MS };
  const get = async () => run('apt-get', ['download', ...(await packages(folder))], options);
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
 * Downloads Debian's ClickHouse to `.cache/clickhouse`, once. The folder is created atomically.
 *
 * @throws Error when it cannot be had; a later call tries again.
 */
export const installClickhouse = async (): Promise<ClickhouseFiles> => {
  const found = below(CACHE);
  if (found !== undefined) return found;
  const partial = `${CACHE}.${randomUUID()}`;
  try {
    await mkdir(partial, { recursive: true });
    await download(partial);
    // Another process may have been faster: what it has made is as good.
    await rename(partial, CACHE).catch(() => undefined);
  } catch (cause) {
    throw new Error(`there is no ClickHouse: the package ${PACKAGE} cannot be downloaded`, {
      cause,
    });
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  const files = below(CACHE);
  if (files === undefined) throw new Error(`${CACHE} holds no ClickHouse: remove it`);
  return files;
};
