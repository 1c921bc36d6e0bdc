import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** An open connection to an HTTP server. */
interface Connection {
  /** By the monotonic clock. */
  readonly openedMs: number;
  /** The newest last; those that were sent completely are removed at the next request. */
  answers: readonly ServerResponse[];
}

const isUnfinished = ({ writableFinished }: ServerResponse): boolean => !writableFinished;

/** The open connections of an HTTP server, with the answers that were not sent completely yet. */
export class Connections {
  readonly #open = new Map<Duplex, Connection>();

  /**
   * Must be made before other listeners for requests are added, so that they find their own answers here.
   *
   * @param nowMs the monotonic clock.
   */
  constructor(
    server: Server,
    private readonly nowMs: () => number = () => performance.now(),
  ) {
    server.on('connection', (socket: Socket) => {
      this.#open.set(socket, { openedMs: this.nowMs(), answers: [] });
      socket.once('close', () => this.#open.delete(socket));
    });
    server.on('request', ({ socket }, response) => {
      const connection = this.#open.get(socket);
      if (connection !== undefined)
        connection.answers = [...connection.answers.filter(isUnfinished), response];
    });
  }

  /** Those that are being closed do not count. */
  get count(): number {
    return [...this.#open.keys()].filter(({ destroyed }) => !destroyed).length;
  }

  /** The complete answers of which the clients have not received everything. Node takes their connections for idle. */
  get sending(): readonly ServerResponse[] {
    return this.unfinished.filter(({ writableEnded }) => writableEnded);
  }

  /** The answers of a connection that were not sent completely yet, in the order of the requests. */
  unfinishedOn(socket: Duplex): readonly ServerResponse[] {
    return (this.#open.get(socket)?.answers ?? []).filter(isUnfinished);
  }

  /** The same of all connections. */
  get unfinished(): readonly ServerResponse[] {
    return [...this.#open.values()].flatMap(({ answers }) => answers.filter(isUnfinished));
  }

  /**
   * Destroys the connections on which nothing was received since they were opened, `forMs` milliseconds ago or more.
   */
  destroySilent(forMs: number): void {
    const openedBeforeMs = this.nowMs() - forMs;
    for (const [socket, { openedMs }] of this.#open)
      if (openedMs <= openedBeforeMs && (socket as Socket).bytesRead === 0) socket.destroy();
  }
}
