import { Client, type ClientConfig } from 'pg';
import { faultOf, saysNoTls } from './fault';
import type { SocketTo } from './guarded-socket';
import type { PostgresqlTarget, SslMode } from './postgresql-settings';

const NOT_VERIFIED = { rejectUnauthorized: false };

const TLS: Readonly<Record<SslMode, Exclude<ClientConfig['ssl'], undefined>>> = {
  disable: false,
  prefer: NOT_VERIFIED,
  require: NOT_VERIFIED,
  'verify-full': { rejectUnauthorized: true },
};

const attempt = async (
  { host, port, username, password, database }: PostgresqlTarget,
  ssl: ClientConfig['ssl'],
  socketTo: SocketTo,
  signal: AbortSignal,
): Promise<Client> => {
  const socket = socketTo({ host, port });
  const client = new Client({
    host,
    port,
    user: username,
    // As a function, so that an empty one is not looked for in the environment.
    password: () => password,
    database,
    ssl,
    stream: () => socket,
    application_name: 'penstock-warehouse',
  });
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
    return client;
  } catch (error) {
    socket.destroy();
    throw error;
  }
};

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
): Promise<Client> => {
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
