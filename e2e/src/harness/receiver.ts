import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One attempt of a delivery, as a destination sees it. */
export interface Attempt {
  readonly idempotencyKey: string;
  readonly body: Record<string, unknown>;
  readonly status: number;
  /** By the monotonic clock. */
  readonly atMs: number;
}

/** Somebody else's server: takes events one by one and answers as it is told. */
export class Receiver {
  /** In the order in which they were answered. */
  readonly attempts: Attempt[] = [];
  /** What is answered from now on. */
  status = 200;

  private constructor(private readonly server: Server) {
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const { status } = this;
        this.attempts.push({
          idempotencyKey: String(request.headers['idempotency-key']),
          body: JSON.parse(Buffer.concat(parts).toString()) as Record<string, unknown>,
          status,
          atMs: performance.now(),
        });
        response.writeHead(status).end();
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
}
