import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Connections, inTurn, listenOn, ServerDrain } from '@penstock/runtime';
import { refuseUnparsed } from './refuse-unparsed';

/** Longer than the idle time-out of load balancers, so that they close idle connections and not this server. */
const KEEP_ALIVE_TIMEOUT_MS = 75_000;
/** Time limit for a complete request; checked at every half of it. */
const REQUEST_TIMEOUT_MS = 60_000;
/**
 * Limit for all headers and the URL, which may hold the schema of an application's users: Node's default of 16 KiB is
 * too small.
 */
const MAX_HEADER_BYTES = 131_072;
/** Time for the answers to a client that has closed its half of the connection: it may as well be gone. */
const HALF_CLOSED_MS = 5_000;

export interface RunningServer {
  readonly address: string;
  /** From now on the last answer on each connection says `Connection: close`; requests are accepted as before. */
  drain(): void;
  /**
   * Accepts no more requests and answers those under way.
   *
   * @param limitMs milliseconds until connections with requests under way are closed too.
   * @returns the number of those that were closed.
   */
  close(limitMs: number): Promise<number>;
}

/**
 * Answers clients that close their half of the connection after the request, as `nc -N` does. By default Node destroys
 * such connections.
 */
const answerHalfClosed = (server: Server, limitMs: number): void => {
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('connection', (socket: Socket) => {
    socket.once('end', () => {
      const timer = setTimeout(() => {
        socket.destroy();
      }, limitMs);
      socket.once('close', () => {
        clearTimeout(timer);
      });
    });
  });
};

interface Limits {
  readonly requestTimeoutMs?: number;
  readonly halfClosedMs?: number;
}

/** @throws CannotStart when the port cannot be had. */
export const serve = async (
  listener: RequestListener,
  port: number,
  host: string,
  { requestTimeoutMs = REQUEST_TIMEOUT_MS, halfClosedMs = HALF_CLOSED_MS }: Limits = {},
): Promise<RunningServer> => {
  const server = createServer({
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: requestTimeoutMs / 2,
    maxHeaderSize: MAX_HEADER_BYTES,
  });
  const connections = new Connections(server);
  answerHalfClosed(server, halfClosedMs);
  const drain = new ServerDrain(server, connections, inTurn(listener));
  refuseUnparsed(server, connections);
  await listenOn(server, { port, host, variable: 'PENSTOCK_PORT' });
  const address = server.address() as AddressInfo;
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return {
    address: `http://${name}:${address.port}`,
    drain: () => {
      drain.begin();
    },
    close: (limitMs) => drain.close(limitMs),
  };
};
