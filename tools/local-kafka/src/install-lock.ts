import { readFile, rm, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 200;

/**
 * Runs one task at a time over all processes that name the same lock file. The file holds the owner's pid:
 * the lock of a process that died is taken over. Saves double work and Maven's local repository from two
 * writers; what the task makes must by itself appear whole or not at all.
 */
export const withInstallLock = async (file: string, task: () => Promise<void>): Promise<void> => {
  while (!(await taken(file))) {
    if (!isAlive(await ownerOf(file))) await rm(file, { force: true });
    else await sleep(POLL_MS);
  }
  try {
    await task();
  } finally {
    await rm(file, { force: true });
  }
};

const taken = async (file: string): Promise<boolean> => {
  try {
    await writeFile(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
};

/** A file without a pid is one that its owner is just writing: counts as alive, by our own pid. */
const ownerOf = async (file: string): Promise<number> => {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text === '' ? process.pid : Number(text);
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};
