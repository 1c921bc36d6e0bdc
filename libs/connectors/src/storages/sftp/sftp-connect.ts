import { EgressRefused, type GuardedSockets, unreachableReason } from '@penstock/egress';
import { FileFault } from '@penstock/files';
import type { Socket } from 'node:net';
import { Client, type ConnectConfig, type ServerHostKeyAlgorithm, type SFTPWrapper } from 'ssh2';
import type { SftpServer } from './sftp-settings';

/** Milliseconds for TCP, and for what follows until the user is known. */
const CONNECT_TIMEOUT_MS = 10_000;
/** Milliseconds between signs of life while nothing is transferred. */
const KEEP_ALIVE_MS = 20_000;

/** A connection to an SFTP server. */
export interface SftpConnection {
  readonly client: Client;
  readonly sftp: SFTPWrapper;
}

interface ConnectionError extends Error {
  readonly level?: string;
}

const connectFault = (error: ConnectionError): FileFault => {
  if (error instanceof EgressRefused) return new FileFault('Refused', error.message);
  switch (error.level) {
    case 'client-authentication':
      return new FileFault('Refused', 'the server refuses the user name, or its password or key');
    case 'client-timeout':
      return new FileFault('Unavailable', 'connection timed out');
    default:
      return new FileFault(
        'Unavailable',
        unreachableReason(error) ??
          'the server does not speak SSH, or in no way that is known here',
        { cause: error },
      );
  }
};

/** Names of the ways in which a server may prove that it has a key of the type. */
const algorithmsFor = (type: string): ServerHostKeyAlgorithm[] =>
  (type === 'ssh-rsa'
    ? ['rsa-sha2-512', 'rsa-sha2-256', 'ssh-rsa']
    : [type]) as ServerHostKeyAlgorithm[];

const configOf = (
  { username, password, privateKey, hostKey }: SftpServer,
  sock: Socket,
  onOtherKey: () => void,
): ConnectConfig => ({
  sock,
  username,
  ...(password !== undefined && { password, tryKeyboard: true }),
  ...(privateKey !== undefined && { privateKey }),
  readyTimeout: CONNECT_TIMEOUT_MS,
  keepaliveInterval: KEEP_ALIVE_MS,
  ...(hostKey !== undefined && { algorithms: { serverHostKey: algorithmsFor(hostKey.type) } }),
  hostVerifier: (key: Buffer) => {
    const isRight = hostKey === undefined || key.equals(hostKey.bytes);
    if (!isRight) onOtherKey();
    return isRight;
  },
});

/** @throws FileFault Unavailable */
const connectedSocket = (
  { host, port }: SftpServer,
  sockets: GuardedSockets,
  signal: AbortSignal,
): Promise<Socket> =>
  new Promise((resolve, reject) => {
    // Requests are small and many: none may wait for the next one.
    const socket = sockets.to({ host, port }).setNoDelay(true);
    const fail = (fault: FileFault): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      socket.destroy();
      reject(fault);
    };
    const onAbort = (): void => {
      fail(new FileFault('Unavailable', 'request was given up'));
    };
    const timer = setTimeout(() => {
      fail(new FileFault('Unavailable', 'connection timed out'));
    }, CONNECT_TIMEOUT_MS);
    signal.addEventListener('abort', onAbort);
    socket.on('error', (error) => {
      fail(connectFault(error));
    });
    socket.once('connect', () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      resolve(socket);
    });
    if (signal.aborted) onAbort();
    else socket.connect({ host, port });
  });

/** Answers questions with the password: some servers ask for it in this way alone. */
const answerWith = (client: Client, password: string | undefined): void => {
  client.on('keyboard-interactive', (_name, _instructions, _language, prompts, finish) => {
    finish(prompts.map(() => password ?? ''));
  });
};

const opened = (client: Client): Promise<SFTPWrapper> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new FileFault('Unavailable', 'connection timed out'));
    }, CONNECT_TIMEOUT_MS);
    client.once('close', () => {
      reject(new FileFault('Unavailable', 'connection was closed by the server'));
    });
    client.sftp((error, sftp) => {
      clearTimeout(timer);
      if (error === undefined) resolve(sftp);
      else reject(new FileFault('Unavailable', 'the server does not offer SFTP', { cause: error }));
    });
  });

/**
 * Connects to a server and begins SFTP.
 *
 * @param signal ends the attempt.
 * @throws FileFault Refused, Unavailable
 */
export const connectSftp = async (
  server: SftpServer,
  sockets: GuardedSockets,
  signal: AbortSignal,
): Promise<SftpConnection> => {
  const socket = await connectedSocket(server, sockets, signal);
  const client = new Client();
  const onAbort = (): void => {
    client.destroy();
  };
  signal.addEventListener('abort', onAbort);
  let hasOtherKey = false;
  try {
    answerWith(client, server.password);
    await new Promise<void>((resolve, reject) => {
      client.once('ready', resolve);
      client.on('error', reject);
      client.once('close', () => {
        reject(new Error('closed'));
      });
      client.connect(configOf(server, socket, () => (hasOtherKey = true)));
    }).catch((error: unknown) => {
      if (signal.aborted) throw new FileFault('Unavailable', 'request was given up');
      if (hasOtherKey)
        throw new FileFault('Refused', 'the server has another key than hostPublicKey');
      throw connectFault(error as Error);
    });
    return { client, sftp: await opened(client) };
  } catch (error) {
    client.destroy();
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
};
