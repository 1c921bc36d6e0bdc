import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
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
/** Connections with unanswered requests are destroyed after this time. */
const CLOSE_TIMEOUT_MS = 10_000;

export interface RunningServer {
  readonly address: string;
  close(): Promise<void>;
}

/** @throws Error of `node:net`, such as EADDRINUSE. */
export const serve = async (
  listener: RequestListener,
  port: number,
  host: string,
  requestTimeoutMs = REQUEST_TIMEOUT_MS,
): Promise<RunningServer> => {
  const server = createServer(
    {
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: requestTimeoutMs / 2,
      maxHeaderSize: MAX_HEADER_BYTES,
    },
    listener,
  );
  refuseUnparsed(server);
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  const close = async (): Promise<void> => {
    const closed = once(server, 'close');
    server.close();
    server.closeIdleConnections();
    const timer = setTimeout(() => {
      server.closeAllConnections();
    }, CLOSE_TIMEOUT_MS);
    await closed;
    clearTimeout(timer);
  };
  return { address: `http://${name}:${address.port}`, close };
};
