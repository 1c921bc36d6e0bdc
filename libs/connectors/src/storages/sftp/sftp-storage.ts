import { FileFault, type StoredFile } from '@penstock/files';
import type { Stats } from 'ssh2';
import type { Settings } from '../../connector/connector';
import type { FileStorage, StorageContext } from '../../connector/file-storage';
import { sftpFault } from './sftp-fault';
import { SftpSession } from './sftp-session';
import { sftpPath, sftpServerOf } from './sftp-settings';

/** Bytes that every server gives at once, and how many requests are on their way at a time. */
const CHUNK_BYTES = 32_768;
const WINDOW = 16;
const DEFAULT_PORT = 22;

const fault = (error: unknown): unknown => sftpFault(error, 'there is no such file', 'read');

/** @returns so many bytes; fewer at the end of the file. */
const readChunk = async (
  session: SftpSession,
  handle: Buffer,
  position: number,
): Promise<Uint8Array> => {
  const bytes = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let at = 0; at < CHUNK_BYTES;) {
    const count = await session.call<number>((sftp, done) => {
      sftp.read(handle, bytes, at, CHUNK_BYTES - at, position + at, done);
    });
    if (count === 0) return bytes.subarray(0, at);
    at += count;
  }
  return bytes;
};

async function* read(session: SftpSession, handle: Buffer): AsyncGenerator<Uint8Array> {
  const coming: Promise<Uint8Array>[] = [];
  let position = 0;
  try {
    for (;;) {
      while (coming.length < WINDOW) {
        const chunk = readChunk(session, handle, position);
        // Whoever stops reading leaves some behind.
        chunk.catch(() => undefined);
        coming.push(chunk);
        position += CHUNK_BYTES;
      }
      const chunk = (await coming.shift()) ?? new Uint8Array();
      if (chunk.length > 0) yield chunk;
      if (chunk.length < CHUNK_BYTES) return;
    }
  } catch (error) {
    throw fault(error);
  } finally {
    session.close();
  }
}

const openIn = async (session: SftpSession, path: string): Promise<StoredFile> => {
  const found = await session.call<Stats>((sftp, done) => {
    sftp.stat(path, done);
  });
  if (!found.isFile())
    throw new FileFault('InvalidPath', found.isDirectory() ? 'is a folder' : 'is not a file');
  const handle = await session.call<Buffer>((sftp, done) => {
    sftp.open(path, 'r', done);
  });
  const { size, mtime } = await session.call<Stats>((sftp, done) => {
    sftp.fstat(handle, done);
  });
  return {
    bytes: read(session, handle),
    modifiedAt: new Date(mtime * 1_000),
    size,
    tag: undefined,
    close: () => {
      session.close();
      return Promise.resolve();
    },
  };
};

/** Where a file of a server is, for people. @throws FileFault InvalidPath, InvalidPlaceholder */
export const sftpAbsolutePath = (path: string, settings: Settings): string => {
  const { host, port } = sftpServerOf(settings);
  const authority = host.includes(':') ? `[${host}]` : host;
  const url = new URL(`sftp://${authority}${port === DEFAULT_PORT ? '' : `:${String(port)}`}`);
  url.pathname = sftpPath(path);
  return url.href;
};

const open = async (
  path: string,
  settings: Settings,
  { sockets, signal }: StorageContext,
): Promise<StoredFile> => {
  const from = sftpPath(path);
  const session = await SftpSession.open(sftpServerOf(settings), sockets, signal);
  try {
    return await openIn(session, from);
  } catch (error) {
    session.close();
    throw fault(error);
  }
};

/** Files of an SFTP server; each is read on a connection of its own. */
export const sftpStorage: FileStorage = { absolutePath: sftpAbsolutePath, open };
