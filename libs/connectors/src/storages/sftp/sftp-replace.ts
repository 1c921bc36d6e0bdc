import { SftpRefusal, type SftpSession, Unsupported } from './sftp-session';

const rename = (session: SftpSession, from: string, to: string): Promise<void> =>
  session.call((sftp, done) => {
    sftp.rename(from, to, done);
  });

/** For servers whose renaming takes no other file's name: the old one is moved aside in between. */
const replaceInSteps = async (
  session: SftpSession,
  target: string,
  temporary: string,
): Promise<void> => {
  const aside = `${temporary}.old`;
  await rename(session, target, aside);
  try {
    await rename(session, temporary, target);
  } catch (error) {
    await rename(session, aside, target);
    throw error;
  }
  await session.call((sftp, done) => {
    sftp.unlink(aside, done);
  });
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
    return;
  } catch (error) {
    if (!(error instanceof Unsupported)) throw error;
  }
  try {
    await rename(session, temporary, target);
  } catch (error) {
    if (!(error instanceof SftpRefusal) || (await session.find(target)) === undefined) throw error;
    await replaceInSteps(session, target, temporary);
  }
};
