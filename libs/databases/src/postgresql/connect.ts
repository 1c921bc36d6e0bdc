import type { Socket } from 'node:net';
import type { GuardedSockets } from '@penstock/egress';
import type { ClientConfig, PoolConfig } from 'pg';
import { LimitedClient } from './limited-client';
import { postgresqlFaultOf, saysNoTls } from './postgresql-fault';
import type { PostgresqlTarget, SslMode } from './postgresql-settings';

const NOT_VERIFIED = { rejectUnauthorized: false };

/** How each mode encrypts; see `ssl` of the driver. */
export const TLS: Readonly<Record<SslMode, Exclude<ClientConfig['ssl'], undefined>>> = {
  disable: false,
  prefer: NOT_VERIFIED,
  require: NOT_VERIFIED,
  'verify-full': { rejectUnauthorized: true },
};

/** How a connection is made. */
export interface PostgresqlCall {
  readonly sockets: GuardedSockets;
  /** Ends the connection, with what is under way on it. */
  readonly signal: AbortSignal;
  /** What the server shows as `application_name`. */
  readonly applicationName: string;
}

type Ssl = Exclude<ClientConfig['ssl'], undefined>;

/** A client that has logged in, and how its connection is encrypted. */
export interface OpenedPostgresql {
  readonly client: LimitedClient;
  readonly ssl: Ssl;
}

/** Milliseconds of silence after which the system asks whether the server is there. */
const KEEP_ALIVE_MS = 30_000;

/** How a client of the server is configured, and a pool of them. @param socket makes the socket of each connection */
export const postgresqlClientConfig = (
  { host, port, username, password, database }: PostgresqlTarget,
  ssl: Ssl,
  socket: () => Socket,
  applicationName: string,
): PoolConfig => ({
  Client: LimitedClient,
  host,
  port,
  user: username,
  // As a function, so that an empty one is not looked for in the environment.
  password: () => password,
  database,
  ssl,
  stream: socket,
  // A server that is gone without a word is noticed within minutes.
  keepAlive: true,
  keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  application_name: applicationName,
});

const attempt = async (
  target: PostgresqlTarget,
  ssl: Ssl,
  { sockets, signal, applicationName }: PostgresqlCall,
): Promise<OpenedPostgresql> => {
  const socket = sockets.to(target);
  const client = new LimitedClient(
    postgresqlClientConfig(target, ssl, () => socket, applicationName),
  );
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

/**
 * Connects to a PostgreSQL and logs in. `prefer` goes on without encryption where the server has none.
 *
 * @throws DatabaseFault Unreachable, Refused
 */
export const connectPostgresql = async (
  target: PostgresqlTarget,
  call: PostgresqlCall,
): Promise<OpenedPostgresql> => {
  const { sslMode, password } = target;
  try {
    call.signal.throwIfAborted();
    return await attempt(target, TLS[sslMode], call).catch((error: unknown) => {
      if (sslMode === 'prefer' && saysNoTls(error)) return attempt(target, false, call);
      throw error;
    });
  } catch (error) {
    throw postgresqlFaultOf(error, password, call.signal);
  }
};
