import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const CACHE = join(__dirname, '..', '..', '..', '.cache', 'openssh');
/** Where systems keep it. */
const PLACES = [
  '/usr/lib/openssh/sftp-server',
  '/usr/libexec/openssh/sftp-server',
  '/usr/lib/ssh/sftp-server',
  '/usr/libexec/sftp-server',
];
const PACKAGE = 'openssh-sftp-server';
const TIMEOUT_MS = 120_000;

/** Downloads the package and unpacks it, nothing of which needs rights; lists of packages do. */
const download = async (folder: string): Promise<void> => {
  const options = { cwd: folder, timeout: TIMEOUT_MS };
  const get = () => run('apt-get', ['download', PACKAGE], options);
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
 * Finds the `sftp-server` of OpenSSH on the machine, else downloads Debian's to `.cache/openssh`, once.
 *
 * @returns its path.
 * @throws Error when there is none and none can be had; a later call tries again.
 */
export const installSftpServer = async (): Promise<string> => {
  const cached = join(CACHE, 'usr', 'lib', 'openssh', 'sftp-server');
  const found = [...PLACES, cached].find(existsSync);
  if (found !== undefined) return found;
  const partial = `${CACHE}.${randomUUID()}`;
  try {
    await mkdir(partial, { recursive: true });
    await download(partial);
    // Another process may have been faster: what it has made is as good.
    await rename(partial, CACHE).catch(() => undefined);
  } catch (cause) {
    throw new Error(`there is no sftp-server: install the package ${PACKAGE}`, { cause });
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  if (!existsSync(cached)) throw new Error(`${CACHE} holds no sftp-server: remove it`);
  return cached;
};
