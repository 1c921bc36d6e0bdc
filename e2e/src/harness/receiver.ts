import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Body = Record<string, unknown>;

/** One attempt to deliver an event, as the destination received it. */
export interface Attempt {
  readonly idempotencyKey: string;
  readonly body: Body;
  readonly status: number;
  /** Time of its arrival, by the monotonic clock. */
  readonly atMs: number;
}

/** An HTTP server as a destination: takes single events and arrays, and answers as the test sets. */
export class Receiver {
  /** In order of arrival. */
  readonly attempts: Attempt[] = [];
  /** Status of the following answers. */
  status = 200;
  /** Latency of the following answers. */
  latencyMs = 0;

  private constructor(private readonly server: Server) {
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const { status } = this;
        this.record(request, JSON.parse(Buffer.concat(parts).toString()) as Body | Body[]);
        setTimeout(() => response.writeHead(status).end(), this.latencyMs);
      });
    });
  }

  static async open(): Promise<Receiver> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Receiver(server);
  }

  get url(): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}/`;
  }

  /** Attempts that were answered 200. */
  get delivered(): readonly Attempt[] {
    return this.attempts.filter(({ status }) => status === 200);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private record({ headers }: IncomingMessage, sent: Body | Body[]): void {
    const { status } = this;
    const idempotencyKey = String(headers['idempotency-key']);
    const atMs = performance.now();
    for (const body of [sent].flat()) this.attempts.push({ idempotencyKey, body, status, atMs });
  }
}
