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

/** Whole or not at all, unlike an exclusive create with a write behind it. @returns whether it is new. */
const linkNew = (own: string, file: string): Promise<boolean> =>
  link(own, file).then(
    () => true,
    (error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    },
  );

/**
 * Replaces a dead holder's file. A claim on exactly that text comes first, so that of many who saw it one
 * replaces it, and one who comes late finds another text and leaves it alone.
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
 * Makes this process the only one that works with the folder. The lock of a process that has ended counts
 * for nothing, also when another program has its pid by now.
 *
 * @returns a function that gives the folder up.
 * @throws EmbeddedPostgresError `FolderInUse`, naming the folder and the pid of the process that has it.
 */
export const lockFolder = async (folder: string): Promise<() => Promise<void>> => {
  const file = join(folder, 'penstock.lock');
  const own = `${file}.${randomUUID()}`;
  const self = await identify(process.pid);
  await writeFile(own, `${process.pid} ${self?.startedAt ?? ''}`, { mode: 0o644 });
  await acquire(folder, file, own).finally(() => unlink(own).catch(absent));
  return () => unlink(file).catch(absent);
};
