import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Body = Record<string, unknown>;

/** One attempt to deliver an event, as a destination sees it. */
export interface Attempt {
  readonly idempotencyKey: string;
  readonly body: Body;
  readonly status: number;
  /** Of its arrival, by the monotonic clock. */
  readonly atMs: number;
}

/** Somebody else's server: takes events one by one or in arrays and answers as it is told. */
export class Receiver {
  /** In the order of their arrival. */
  readonly attempts: Attempt[] = [];
  /** What is answered from now on. */
  status = 200;
  /** How long an answer takes from now on. */
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
