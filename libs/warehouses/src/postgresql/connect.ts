import type { Socket } from 'node:net';
import { Client, type ClientConfig } from 'pg';
import { faultOf, saysNoTls } from './fault';
import type { SocketTo } from './guarded-socket';
import type { PostgresqlTarget, SslMode } from './postgresql-settings';

type Ssl = Exclude<ClientConfig['ssl'], undefined>;

const NOT_VERIFIED = { rejectUnauthorized: false };

const TLS: Readonly<Record<SslMode, Ssl>> = {
  disable: false,
  prefer: NOT_VERIFIED,
  require: NOT_VERIFIED,
  'verify-full': { rejectUnauthorized: true },
};

/** How a client of the server is configured. @param socket makes the socket of each connection */
export const clientConfig = (
  { host, port, username, password, database }: PostgresqlTarget,
  ssl: Ssl,
  socket: () => Socket,
): ClientConfig => ({
  host,
  port,
  user: username,
  // As a function, so that an empty one is not looked for in the environment.
  password: () => password,
  database,
  ssl,
  stream: socket,
  application_name: 'penstock-warehouse',
});

const attempt = async (
  target: PostgresqlTarget,
  ssl: Ssl,
  socketTo: SocketTo,
  signal: AbortSignal,
): Promise<Connected> => {
  const socket = socketTo(target);
  const client = new Client(clientConfig(target, ssl, () => socket));
  // A statement under way is rejected by itself; an idle connection that is lost is found by the next one.
  client.on('error', () => undefined);
  const giveUp = (): void => {
    socket.destroy(new Error('given up'));
  };
  signal.addEventListener('abort', giveUp, { once: true });
  client.once('end', () => {
    signal.removeEventListener('abort', giveUp);
  });
  try {
    await client.connect();
    return { client, ssl };
  } catch (error) {
    socket.destroy();
    throw error;
  }
};

/** A client that has logged in, and how its connection is encrypted. */
interface Connected {
  readonly client: Client;
  readonly ssl: Ssl;
}

/**
 * Connects and logs in. `prefer` goes on without encryption where the server has none.
 *
 * @param signal ends the connection, with what is under way on it.
 * @throws WarehouseFault
 */
export const connect = async (
  target: PostgresqlTarget,
  socketTo: SocketTo,
  signal: AbortSignal,
): Promise<Connected> => {
  const { sslMode, password } = target;
  try {
    signal.throwIfAborted();
    return await attempt(target, TLS[sslMode], socketTo, signal).catch((error: unknown) => {
      if (sslMode === 'prefer' && saysNoTls(error)) return attempt(target, false, socketTo, signal);
      throw error;
    });
  } catch (error) {
    throw faultOf(error, password, signal);
  }
};
