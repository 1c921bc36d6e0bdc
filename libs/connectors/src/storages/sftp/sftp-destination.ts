import { posix } from 'node:path';
import { FileFault } from '@penstock/files';
import type { GuardedSockets } from '@penstock/egress';
import type { Stats } from 'ssh2';
import type { Settings } from '../../connector/connector';
import type { FileDestination, NewFile } from '../../connector/file-destination';
import type { StorageContext } from '../../connector/file-storage';
import { temporaryName } from '../temporary-name';
import { untilGivenUp } from '../until-given-up';
import { removeAbandoned } from './sftp-abandoned';
import { sftpFault } from './sftp-fault';
import { replaceBy } from './sftp-replace';
import { SftpRefusal, SftpSession, Unsupported } from './sftp-session';
import { sftpPath, type SftpServer, sftpServerOf } from './sftp-settings';
import { sftpAbsolutePath } from './sftp-storage';

/** Bytes that every server takes at once, and how many requests are on their way at a time. */
const CHUNK_BYTES = 32_768;
const WINDOW = 16;
/** Milliseconds for removing an unfinished file on a connection of its own. */
const CLEAN_UP_TIMEOUT_MS = 10_000;

/** Writes from the beginning. @returns the number of bytes. */
const fill = async (
  session: SftpSession,
  handle: Buffer,
  bytes: AsyncIterable<Uint8Array>,
): Promise<number> => {
  const going: Promise<void>[] = [];
  let position = 0;
  for await (const chunk of bytes)
    for (let at = 0; at < chunk.length; at += CHUNK_BYTES) {
      const piece = Buffer.from(chunk.subarray(at, at + CHUNK_BYTES));
      const place = position;
      const written = session.call((sftp, done) => {
        sftp.write(handle, piece, 0, piece.length, place, done);
      });
      written.catch(() => undefined);
      going.push(written);
      position += piece.length;
      if (going.length >= WINDOW) await going.shift();
    }
  await Promise.all(going);
  return position;
};

/** Brings the file to the disk of the server, where it offers that. */
const sync = async (session: SftpSession, handle: Buffer): Promise<void> => {
  try {
    await session.call((sftp, done) => {
      sftp.ext_openssh_fsync(handle, done);
    });
  } catch (error) {
    if (!(error instanceof Unsupported)) throw error;
  }
};

const close = (session: SftpSession, handle: Buffer): Promise<void> =>
  session.call((sftp, done) => {
    sftp.close(handle, done);
  });

/** @returns when it was written, in seconds by the clock of the server. @throws FileFault when it does not have what was sent. */
const writeInto = async (
  session: SftpSession,
  handle: Buffer,
  bytes: AsyncIterable<Uint8Array>,
): Promise<number> => {
  const size = await fill(session, handle, bytes);
  await sync(session, handle);
  const written = await session.call<Stats>((sftp, done) => {
    sftp.fstat(handle, done);
  });
  if (written.size !== size)
    throw new FileFault('Unavailable', 'the server has not as many bytes as it was given');
  return written.mtime;
};

const writeTemporary = async (
  session: SftpSession,
  path: string,
  bytes: AsyncIterable<Uint8Array>,
): Promise<number> => {
  const handle = await session.call<Buffer>((sftp, done) => {
    sftp.open(path, 'wx', done);
  });
  let written: number;
  try {
    written = await writeInto(session, handle, bytes);
  } catch (error) {
    // Some servers remove no file that is open.
    await close(session, handle).catch(() => undefined);
    throw error;
  }
  await close(session, handle);
  return written;
};

/** Removes an unfinished file as far as that is possible now, also when the connection is lost. Never throws. */
const cleanUp = async (
  session: SftpSession,
  path: string,
  server: SftpServer,
  sockets: GuardedSockets,
): Promise<void> => {
  try {
    await session.remove(path);
  } catch (error) {
    if (error instanceof SftpRefusal) return;
    const signal = AbortSignal.timeout(CLEAN_UP_TIMEOUT_MS);
    try {
      const other = await SftpSession.open(server, sockets, signal);
      await other.remove(path).finally(() => {
        other.close();
      });
    } catch {
      // The file stays behind under its other name.
    }
  }
};

/** @throws FileFault InvalidPath when there is no folder, or something else than a file. */
const checkTarget = async (session: SftpSession, target: string, folder: string): Promise<void> => {
  const found = await session.find(target);
  if (found?.isDirectory() === true) throw new FileFault('InvalidPath', 'is a folder');
  if (found !== undefined && !found.isFile()) throw new FileFault('InvalidPath', 'is not a file');
  for (const each of new Set([posix.dirname(target), folder])) {
    const parent = await session.find(each);
    if (parent?.isDirectory() !== true)
      throw new FileFault(
        'InvalidPath',
        `there is no such folder${each === folder && each !== posix.dirname(target) ? ': tempPath' : ''}`,
      );
  }
};

const write = async (
  { path, bytes }: NewFile,
  settings: Settings,
  { sockets, signal }: StorageContext,
): Promise<void> => {
  const server = sftpServerOf(settings);
  const target = sftpPath(path);
  const folder = server.tempPath ?? posix.dirname(target);
  const temporary = posix.join(folder, temporaryName(target));
  const session = await SftpSession.open(server, sockets, signal);
  try {
    await checkTarget(session, target, folder);
    try {
      const written = await writeTemporary(session, temporary, untilGivenUp(bytes, signal));
      await removeAbandoned(session, target, folder, written);
      await replaceBy(session, target, temporary);
    } catch (error) {
      await cleanUp(session, temporary, server, sockets);
      throw error;
    }
  } catch (error) {
    throw sftpFault(error, 'there is no such folder', 'written');
  } finally {
    session.close();
  }
};

/** Files of an SFTP server. A file is written under another name, and gets its own one when it is complete. */
export const sftpDestination: FileDestination = {
  isRepeatable: true,
  absolutePath: sftpAbsolutePath,
  write,
};
