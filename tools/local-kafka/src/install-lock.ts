import { readFile, rm, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 200;

/**
 * Runs one task at a time in all processes that use the same lock file. The file contains the owner's pid, so that
 * the lock of a dead process is taken over. Avoids double work, and two writers in Maven's local repository; the
 * task itself must create its result atomically.
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

/** The owner's pid. A file without one is being written by its owner, which counts as alive: our own pid. */
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
