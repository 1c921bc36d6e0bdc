import { posix } from 'node:path';
import type { FileEntryWithStats } from 'ssh2';
import { ABANDONED_MS, unfinishedPrefix } from '../temporary-name';
import { SftpRefusal, type SftpSession } from './sftp-session';

/** Names of a folder that are looked at: it may have any number. */
const MOST_LOOKED_AT = 10_000;
/** Code of the answer behind the last names. Source: draft-ietf-secsh-filexfer-02, 7. */
const END_OF_FILE = 1;

/** The next names of a folder; empty: there are no more. */
const nextOf = async (
  session: SftpSession,
  handle: Buffer,
): Promise<readonly FileEntryWithStats[]> => {
  try {
    return await session.call<FileEntryWithStats[]>((sftp, done) => {
      sftp.readdir(handle, done);
    });
  } catch (error) {
    if (error instanceof SftpRefusal && error.code === END_OF_FILE) return [];
    throw error;
  }
};

/** Names in a folder that begin with a prefix. */
const namesOf = async (
  session: SftpSession,
  folder: string,
  prefix: string,
): Promise<readonly FileEntryWithStats[]> => {
  const handle = await session.call<Buffer>((sftp, done) => {
    sftp.opendir(folder, done);
  });
  const names: FileEntryWithStats[] = [];
  try {
    for (let looked = 0; looked < MOST_LOOKED_AT;) {
      const next = await nextOf(session, handle);
      if (next.length === 0) break;
      looked += next.length;
      names.push(...next.filter(({ filename }) => filename.startsWith(prefix)));
    }
  } finally {
    await session.call((sftp, done) => {
      sftp.close(handle, done);
    });
  }
  return names;
};

/**
 * Removes unfinished files of the target that killed processes have left in a folder, where the server lets it: it may refuse to
 * show the folder.
 *
 * @param nowSeconds the time by the clock of the server, since 1970.
 * @throws like {@link SftpSession.call}, but for refusals
 */
export const removeAbandoned = async (
  session: SftpSession,
  target: string,
  folder: string,
  nowSeconds: number,
): Promise<void> => {
  try {
    for (const { filename, attrs } of await namesOf(session, folder, unfinishedPrefix(target))) {
      if ((nowSeconds - attrs.mtime) * 1_000 <= ABANDONED_MS) continue;
      await session.remove(posix.join(folder, filename));
    }
  } catch (error) {
    if (!(error instanceof SftpRefusal)) throw error;
  }
};
