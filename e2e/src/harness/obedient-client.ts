import { Agent, type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import type { Balancer } from './balancer';

const TIMEOUT_MS = 30_000;

/** A request of a spec. */
export interface ObedientRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The outcome of a request: the status or, without an answer, the error code; and the text of the answer. */
export interface ObedientAnswer {
  readonly outcome: string;
  readonly text: string;
}

/** A connection to a gateway with the pool that holds nothing else. */
interface Connection {
  readonly address: string;
  readonly agent: Agent;
  /** Whether an answer has said `Connection: close`. */
  isTold: boolean;
}

/**
 * A client with one connection at a time. The balancer chooses a gateway for each connection, not for each request, as
 * balancers of TCP connections do; the client keeps its connection until an answer says `Connection: close`.
 */
export class ObedientClient {
  /** Number of connections that a gateway has closed without having said so. */
  cutOff = 0;
  private connection: Connection | undefined;

  constructor(private readonly balancer: Balancer) {}

  /** Sends requests one after the other: the next one only after the answer. */
  async send(sent: ObedientRequest): Promise<ObedientAnswer> {
    const connection = (this.connection ??= this.connect());
    try {
      const response = await this.answerTo(sent, connection);
      const text = await textOf(response);
      if (response.headers.connection === 'close') this.leave();
      return { outcome: String(response.statusCode), text };
    } catch (error) {
      this.balancer.failed(connection.address);
      this.leave();
      return { outcome: (error as NodeJS.ErrnoException).code ?? String(error), text: '' };
    }
  }

  /** Closes its connection. */
  leave(): void {
    if (this.connection === undefined) return;
    this.connection.isTold = true;
    this.connection.agent.destroy();
    this.connection = undefined;
  }

  private connect(): Connection {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    return { address: this.balancer.next(), agent, isTold: false };
  }

  private answerTo(
    { method, path, headers, body }: ObedientRequest,
    connection: Connection,
  ): Promise<IncomingMessage> {
    const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
    return new Promise((resolve, reject) => {
      const sent = request(
        `${connection.address}${path}`,
        {
          method,
          headers: { ...headers, ...length },
          agent: connection.agent,
          timeout: TIMEOUT_MS,
        },
        resolve,
      );
      sent.on('timeout', () => sent.destroy(new Error('no answer')));
      sent.on('error', reject);
      sent.once('socket', (socket) => {
        if (!sent.reusedSocket) this.watch(socket, connection);
      });
      sent.end(body);
    });
  }

  private watch(socket: Socket, connection: Connection): void {
    socket.once('close', () => {
      if (!connection.isTold) this.cutOff += 1;
      if (this.connection === connection) this.connection = undefined;
    });
  }
}

const textOf = async (response: IncomingMessage): Promise<string> => {
  let text = '';
  for await (const part of response.setEncoding('utf8')) text += String(part);
  return text;
};
