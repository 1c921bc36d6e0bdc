import { createHash, randomUUID } from 'node:crypto';
import { link, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EmbeddedPostgresError } from './embedded-postgres-error';
import { type ProcessIdentity, identify, isRunning } from './process-identity';

const absent = (): undefined => undefined;

const parseHolder = (text: string): ProcessIdentity | undefined => {
  const [pid = '', ...startedAt] = text.trim().split(' ');
  return startedAt.length === 0 ? undefined : { pid: Number(pid), startedAt: startedAt.join(' ') };
};

const liveHolder = async (text: string): Promise<ProcessIdentity | undefined> => {
  const holder = parseHolder(text);
  return holder && (await isRunning(holder)) ? holder : undefined;
};

const readText = (file: string): Promise<string | undefined> =>
  readFile(file, 'utf8').catch(absent);

/**
 * Creates `file` with its full content in one step, unlike an exclusive create followed by a write.
 *
 * @returns whether the file is new; false when it existed.
 */
const linkNew = (own: string, file: string): Promise<boolean> =>
  link(own, file).then(
    () => true,
    (error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    },
  );

/**
 * Replaces the lock file of a dead holder. A claim file named after its exact text is created first: only one of the
 * processes that saw this text replaces it, and a later one finds another text and leaves it alone.
 */
const takeOver = async (file: string, own: string, dead: string): Promise<boolean> => {
  const claim = `${file}.${createHash('sha256').update(dead).digest('hex').slice(0, 16)}`;
  if (!(await linkNew(own, claim))) {
    if (!(await liveHolder((await readText(claim)) ?? ''))) await unlink(claim).catch(absent);
    return false;
  }
  try {
    if ((await readText(file)) !== dead) return false;
    await rename(own, file);
    return true;
  } finally {
    await unlink(claim).catch(absent);
  }
};

const acquire = async (folder: string, file: string, own: string): Promise<void> => {
  while (!(await linkNew(own, file))) {
    const text = await readText(file);
    if (text === undefined) continue;
    const holder = await liveHolder(text);
    if (holder)
      throw new EmbeddedPostgresError(
        'FolderInUse',
        `the data folder ${folder} is in use by process ${holder.pid}: stop that one first, or set PENSTOCK_DATA to another folder`,
      );
    if (await takeOver(file, own, text)) return;
  }
};

/**
 * Locks the folder for this process. The lock of a process that has ended is ignored, also when its pid now belongs to
 * another program.
 *
 * @returns a function that releases the lock.
 * @throws EmbeddedPostgresError `FolderInUse`, naming the folder and the pid of the process that holds the lock.
 */
export const lockFolder = async (folder: string): Promise<() => Promise<void>> => {
  const file = join(folder, 'penstock.lock');
  const own = `${file}.${randomUUID()}`;
  const self = await identify(process.pid);
  await writeFile(own, `${process.pid} ${self?.startedAt ?? ''}`, { mode: 0o644 });
  try {
    await acquire(folder, file, own);
  } finally {
    await unlink(own).catch(absent);
  }
  return () => unlink(file).catch(absent);
};
