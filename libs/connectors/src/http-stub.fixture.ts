import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export type Answer = (response: ServerResponse, request: ReceivedRequest) => void;

/** Answers with a status, a body and headers. */
export const answer =
  (status: number, body = '', headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(status, headers).end(body);

/** Writes bytes that need not be HTTP, and ends the connection. */
export const rawAnswer =
  (bytes: string): Answer =>
  (response) =>
    response.socket?.end(bytes);

/** A remote server on a free port of the loopback interface: records requests, answers as configured. */
export class HttpStub {
  readonly requests: ReceivedRequest[] = [];
  connections = 0;
  private answers: Answer[] = [];
  private usual: Answer = answer(200);

  private constructor(
    private readonly server: Server,
    readonly host: string,
  ) {}

  static async start(host = '127.0.0.1', port = 0): Promise<HttpStub> {
    const server = createServer();
    const stub = new HttpStub(server, host);
    server.on('connection', () => (stub.connections += 1));
    server.on('request', (incoming, response) => {
      void text(incoming).then((body) => {
        const { method = '', url = '', headers } = incoming;
        stub.take({ method, url, headers, body }, response);
      });
    });
    server.listen(port, host);
    await once(server, 'listening');
    return stub;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get origin(): string {
    return `http://${this.host}:${String(this.port)}`;
  }

  /** What the next requests get, one each; after them all get the usual answer. */
  next(...answers: Answer[]): this {
    this.answers.push(...answers);
    return this;
  }

  always(usual: Answer): this {
    this.usual = usual;
    return this;
  }

  async close(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private take(request: ReceivedRequest, response: ServerResponse): void {
    this.requests.push(request);
    (this.answers.shift() ?? this.usual)(response, request);
  }
}
