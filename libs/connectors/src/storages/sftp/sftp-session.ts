import type { GuardedSockets } from '@penstock/egress';
import { FileFault } from '@penstock/files';
import { types } from 'node:util';
import type { SFTPWrapper, Stats } from 'ssh2';
import { IDLE_MS } from '../idle-time';
import { connectSftp, type SftpConnection } from './sftp-connect';
import type { SftpServer } from './sftp-settings';

/** Codes of answers. Source: draft-ietf-secsh-filexfer-02, 7. */
const NO_SUCH_FILE = 2;
const PERMISSION_DENIED = 3;

type Done<T> = (error: Error | null | undefined, value: T) => void;

/** The server cannot do what was asked of it. */
export class Unsupported extends Error {
  override readonly name = 'Unsupported';
}

/** A refusal of the server, by its code. */
export class SftpRefusal extends Error {
  override readonly name = 'SftpRefusal';
  constructor(readonly code: number) {
    super(`the server refused with code ${String(code)}`);
  }

  get isMissing(): boolean {
    return this.code === NO_SUCH_FILE;
  }

  get isForbidden(): boolean {
    return this.code === PERMISSION_DENIED;
  }
}

/** A connection on which files are read and written. Each call ends in time, or the connection does. */
export class SftpSession {
  private readonly waiting = new Set<(fault: FileFault) => void>();
  private ended: FileFault | undefined;
  private readonly onAbort = (): void => {
    this.end(new FileFault('Unavailable', 'request was given up'));
  };

  private constructor(
    private readonly connection: SftpConnection,
    private readonly signal: AbortSignal,
  ) {
    signal.addEventListener('abort', this.onAbort);
    const { client, sftp } = connection;
    const onEnd = (): void => {
      this.end(new FileFault('Unavailable', 'connection was closed by the server'));
    };
    client.on('error', onEnd).on('close', onEnd);
    sftp.on('error', onEnd).on('close', onEnd);
    if (signal.aborted) this.onAbort();
  }

  /**
   * Connects.
   *
   * @param signal ends the connection.
   * @throws FileFault Unavailable
   */
  static async open(
    server: SftpServer,
    sockets: GuardedSockets,
    signal: AbortSignal,
  ): Promise<SftpSession> {
    return new SftpSession(await connectSftp(server, sockets, signal), signal);
  }

  /**
   * Asks the server for something.
   *
   * @throws SftpRefusal when it refuses; Unsupported; FileFault Unavailable when there is no answer.
   */
  call<T = void>(ask: (sftp: SFTPWrapper, done: Done<T>) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.ended !== undefined) {
        reject(this.ended);
        return;
      }
      const fail = (error: Error): void => {
        clearTimeout(timer);
        this.waiting.delete(fail);
        reject(error);
      };
      const timer = setTimeout(() => {
        this.end(new FileFault('Unavailable', `no answer within ${String(IDLE_MS / 1_000)} s`));
      }, IDLE_MS);
      this.waiting.add(fail);
      const done: Done<T> = (error, value) => {
        clearTimeout(timer);
        this.waiting.delete(fail);
        if (types.isNativeError(error)) reject(refusalOf(error, this.ended));
        else resolve(value);
      };
      try {
        ask(this.connection.sftp, done);
      } catch (cause) {
        fail(new Unsupported('not offered by the server', { cause }));
      }
    });
  }

  /** @returns undefined when there is nothing at the path. @throws like {@link call} */
  async find(path: string): Promise<Stats | undefined> {
    try {
      return await this.call<Stats>((sftp, done) => {
        sftp.stat(path, done);
      });
    } catch (error) {
      if (error instanceof SftpRefusal && error.isMissing) return undefined;
      throw error;
    }
  }

  /** Removes a file. @throws like {@link call} */
  remove(path: string): Promise<void> {
    return this.call((sftp, done) => {
      sftp.unlink(path, done);
    });
  }

  /** Ends the connection; may be called again. */
  close(): void {
    this.end(new FileFault('Unavailable', 'connection is closed'));
  }

  private end(fault: FileFault): void {
    if (this.ended !== undefined) return;
    this.ended = fault;
    this.signal.removeEventListener('abort', this.onAbort);
    this.connection.client.end();
    this.connection.client.destroy();
    for (const fail of this.waiting) fail(fault);
  }
}

const refusalOf = (error: Error, ended: FileFault | undefined): Error => {
  const code = 'code' in error ? error.code : undefined;
  if (typeof code === 'number') return new SftpRefusal(code);
  return ended ?? new FileFault('Unavailable', 'connection was closed by the server');
};
