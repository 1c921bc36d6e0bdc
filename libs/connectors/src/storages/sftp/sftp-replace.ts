import { SftpRefusal, type SftpSession, Unsupported } from './sftp-session';

/** How often a name is tried for that others want at the same time. */
const ATTEMPTS = 20;

const rename = (session: SftpSession, from: string, to: string): Promise<void> =>
  session.call((sftp, done) => {
    sftp.rename(from, to, done);
  });

/** @returns whether the server has not refused. @throws what is no refusal */
const isDone = async (work: Promise<void>): Promise<boolean> => {
  try {
    await work;
    return true;
  } catch (error) {
    if (!(error instanceof SftpRefusal)) throw error;
    return false;
  }
};

/** Moves the file back that was moved aside, or removes it where another one has taken its name. */
const putBack = async (session: SftpSession, aside: string, target: string): Promise<void> => {
  if (!(await isDone(rename(session, aside, target)))) await session.remove(aside);
};

/** For servers whose renaming takes no other file's name: the old one is moved aside in between. */
const replaceInSteps = async (
  session: SftpSession,
  target: string,
  temporary: string,
): Promise<void> => {
  const aside = `${temporary}.old`;
  for (let attempt = 1; ; attempt += 1)
    try {
      await rename(session, temporary, target);
      return;
    } catch (error) {
      if (!(error instanceof SftpRefusal) || attempt >= ATTEMPTS) throw error;
      // Another writer may have moved it aside meanwhile.
      if (!(await isDone(rename(session, target, aside)))) continue;
      if (await isDone(rename(session, temporary, target))) return session.remove(aside);
      await putBack(session, aside, target);
    }
};

/**
 * Gives a file the name of another one, which is gone then.
 *
 * With the extension `posix-rename@openssh.com` it takes place at once. A server without it may have only renaming that
 * takes no existing name; there the old file has another name for a moment.
 *
 * @throws like {@link SftpSession.call}
 */
export const replaceBy = async (
  session: SftpSession,
  target: string,
  temporary: string,
): Promise<void> => {
  try {
    await session.call((sftp, done) => {
      sftp.ext_openssh_rename(temporary, target, done);
    });
  } catch (error) {
    if (!(error instanceof Unsupported)) throw error;
    await replaceInSteps(session, target, temporary);
  }
};
