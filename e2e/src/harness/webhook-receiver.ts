import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request to a webhook, with what it was answered. */
export interface WebhookCall {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly status: number;
}

/** An HTTP server as the receiver of a webhook; it keeps every request. */
export class WebhookReceiver {
  readonly calls: WebhookCall[] = [];

  private constructor(
    private readonly server: Server,
    /** The status of the answer to the request with this number, from 0. */
    private readonly statusOf: (number: number) => number,
  ) {
    server.on('request', (request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const status = this.statusOf(this.calls.length);
        const body = Buffer.concat(parts).toString();
        this.calls.push({ headers: request.headers, body, status });
        response.writeHead(status).end();
      });
    });
  }

  static async open(statusOf: (number: number) => number = () => 200): Promise<WebhookReceiver> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new WebhookReceiver(server, statusOf);
  }

  get url(): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}/alerts`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}
