import { randomUUID } from 'node:crypto';
import { link, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EmbeddedPostgresError } from './embedded-postgres-error';
import { type ProcessIdentity, identify, isRunning } from './process-identity';

const absent = (): undefined => undefined;

const parseHolder = (text: string): ProcessIdentity | undefined => {
  const [pid = '', ...startedAt] = text.trim().split(' ');
  return startedAt.length === 0 ? undefined : { pid: Number(pid), startedAt: startedAt.join(' ') };
};

const liveHolder = async (file: string): Promise<ProcessIdentity | undefined> => {
  const holder = parseHolder(await readFile(file, 'utf8').catch(() => ''));
  return holder && (await isRunning(holder)) ? holder : undefined;
};

/** Moves a dead holder's file away; should a live one have come in between, its file is put back. */
const clearStale = async (file: string, aside: string): Promise<void> => {
  await rename(file, aside).catch(absent);
  if (await liveHolder(aside)) await link(aside, file).catch(absent);
  await unlink(aside).catch(absent);
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
  try {
    for (;;) {
      const taken = await link(own, file).then(
        () => true,
        (error: NodeJS.ErrnoException) => {
          if (error.code === 'EEXIST') return false;
          throw error;
        },
      );
      if (taken) return () => unlink(file).catch(absent);
      const holder = await liveHolder(file);
      if (holder)
        throw new EmbeddedPostgresError(
          'FolderInUse',
          `the data folder ${folder} is in use by process ${holder.pid}: stop that one first, or set PENSTOCK_DATA to another folder`,
        );
      await clearStale(file, `${own}.stale`);
    }
  } finally {
    await unlink(own).catch(absent);
  }
};
