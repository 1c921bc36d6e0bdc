import { once } from 'node:events';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { Server as TcpServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connections } from './connections';

const POLL_MS = 20;

/** Time for the first request of a connection that was opened just before the server closed. */
const FIRST_REQUEST_MS = 1_000;

/** Time for a client to read a complete answer, and for the requests of others after those that have not. */
const SLOW_MS = 1_000;

/** Closes the connections of answers. @returns their number. */
const cutOff = (answers: readonly ServerResponse[]): number => {
  const sockets = new Set(
    answers.map(({ req }) => req.socket).filter(({ destroyed }) => !destroyed),
  );
  for (const socket of sockets) socket.destroy();
  return sockets.size;
};

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

  /**
   * @param handle handles the requests; it must be the only listener of the server that answers them.
   * @param nowMs the monotonic clock.
   */
  constructor(
    private readonly server: Server,
    private readonly connections: Connections,
    handle: RequestListener,
    private readonly nowMs: () => number = () => performance.now(),
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
   * Accepts no more connections, closes the idle ones, and waits for the requests under way. While a client receives an
   * answer, idle connections stay open. Clients that have not read a complete answer within a second are cut off a
   * second before the end, so that there is time for requests which have come on the others. Of a limit below 4 s,
   * these seconds are quarters.
   *
   * @param limitMs milliseconds until connections with requests under way are closed too.
   * @returns the number of connections that were cut off.
   */
  async close(limitMs: number): Promise<number> {
    const { server, connections } = this;
    this.begin();
    const deadlineMs = this.nowMs() + limitMs;
    const slowMs = Math.min(SLOW_MS, limitMs / 4);
    const closed = once(server, 'close').then(() => true as const);
    // That of HTTP servers would also close connections whose answers are being sent: they are idle ones for it.
    TcpServer.prototype.close.call(server);
    if (await this.#endsBy(deadlineMs - 2 * slowMs, closed)) return 0;
    const sending = connections.sending;
    if (await this.#endsBy(deadlineMs - slowMs, closed)) return 0;
    const slow = cutOff(sending.filter(({ writableFinished }) => !writableFinished));
    if (await this.#endsBy(deadlineMs, closed)) return slow;
    const slowAtLast = cutOff(connections.sending);
    server.close();
    const underWay = connections.count;
    server.closeAllConnections();
    await closed;
    return slow + slowAtLast + underWay;
  }

  /** Closes connections as they become idle, unless an answer is being sent. @returns whether all are closed. */
  async #endsBy(timeMs: number, closed: Promise<true>): Promise<boolean> {
    const { server, connections } = this;
    while (this.nowMs() < timeMs) {
      if (connections.sending.length === 0) server.close();
      connections.destroySilent(FIRST_REQUEST_MS);
      if (await Promise.race([closed, sleep(POLL_MS, false)])) return true;
    }
    return false;
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
