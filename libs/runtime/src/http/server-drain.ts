import { once } from 'node:events';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { Server as TcpServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connections } from './connections';

const POLL_MS = 20;

/** Time for the first request of a connection that was opened just before the server closed. */
const FIRST_REQUEST_MS = 1_000;

/** Time for the requests on connections that stayed open because of slow clients. */
const AFTER_SLOW_MS = 1_000;

const isReceived = ({ complete, headers }: IncomingMessage): boolean =>
  complete ||
  (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0);

/**
 * Ends an HTTP server without failing a request of clients that obey `Connection: close` (RFC 9112, section 9.6).
 *
 * A connection that is closed while its client writes the next request is a reset for the client. So the client is told
 * first, with the answer to its last request; connections without a request since then are closed at the end.
 */
export class ServerDrain {
  #isBegun = false;
  /** Connections whose client was told to send no further request. */
  readonly #told = new WeakSet<Duplex>();

  /** @param handle handles the requests; it must be the only listener of the server that answers them. */
  constructor(
    private readonly server: Server,
    private readonly connections: Connections,
    handle: RequestListener,
  ) {
    server.on('request', (request, response) => {
      if (this.#isBegun) {
        // Clients repeat what they have sent after the request that was answered with `close`: it must not be done
        // here.
        if (this.#told.has(request.socket)) return;
        this.#tellWith(response);
      }
      handle(request, response);
    });
  }

  /** From now on requests are accepted as before, but the last answer on each connection says `Connection: close`. */
  begin(): void {
    if (this.#isBegun) return;
    this.#isBegun = true;
    for (const response of this.connections.unfinished) this.#tellWith(response);
  }

  /**
   * Accepts no more connections, closes the idle ones, and waits for the requests under way. What slow clients have not
   * read of complete answers is cut off a second before the end (of a limit below 4 s, after three quarters of it).
   * While they read, idle connections stay open; the time after that is for requests which have come on them.
   *
   * @param limitMs milliseconds until connections with requests under way are closed too.
   * @returns the number of those that were closed.
   */
  async close(limitMs: number): Promise<number> {
    const { server, connections } = this;
    this.begin();
    const deadlineMs = performance.now() + limitMs;
    const slowUntilMs = deadlineMs - Math.min(AFTER_SLOW_MS, limitMs / 4);
    const closed = once(server, 'close').then(() => true as const);
    // That of HTTP servers would also close connections whose answers are being sent: they are idle ones for it.
    TcpServer.prototype.close.call(server);
    if (await this.#isClosed(closed, slowUntilMs)) return 0;
    const slow = this.#destroySlow();
    server.close();
    if (await this.#isClosed(closed, deadlineMs)) return slow;
    const slowAtLast = this.#destroySlow();
    server.close();
    const underWay = connections.count;
    server.closeAllConnections();
    await closed;
    return slow + slowAtLast + underWay;
  }

  /** Closes connections as they become idle, when no slow client needs its own. @returns whether all are closed. */
  async #isClosed(closed: Promise<true>, untilMs: number): Promise<boolean> {
    const { server, connections } = this;
    while (performance.now() < untilMs) {
      if (connections.sending.length === 0) server.close();
      connections.destroySilent(FIRST_REQUEST_MS);
      if (await Promise.race([closed, sleep(POLL_MS, false)])) return true;
    }
    return false;
  }

  /** @returns the number of connections that were closed. */
  #destroySlow(): number {
    const slow = new Set(this.connections.sending);
    for (const socket of slow) socket.destroy();
    return slow.size;
  }

  #tellWith(response: ServerResponse): void {
    if (response.headersSent) return;
    const { writeHead } = response;
    response.writeHead = (...head: unknown[]) => {
      if (this.#isLast(response)) {
        response.shouldKeepAlive = false;
        this.#told.add(response.req.socket);
      }
      return Reflect.apply(writeHead, response, head) as ServerResponse & { req: IncomingMessage };
    };
  }

  /**
   * A client that has sent further requests awaits their answers. One that is still sending this request would be reset
   * if its connection was closed after the answer.
   */
  #isLast({ req, headersSent }: ServerResponse): boolean {
    const newest = this.connections.unfinishedOn(req.socket).at(-1);
    return !headersSent && newest?.req === req && isReceived(req);
  }
}
