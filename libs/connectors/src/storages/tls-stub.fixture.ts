import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SELF_SIGNED } from '@penstock/test-servers';

/** A web server for `localhost` on a free port, over TLS. */
export class TlsStub {
  readonly requests: IncomingMessage[] = [];
  answer: (request: IncomingMessage, response: ServerResponse) => void = (_, response) =>
    response.end();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<TlsStub> {
    const server = createServer({ ...SELF_SIGNED });
    const stub = new TlsStub(server);
    server.on('request', (request, response) => {
      stub.requests.push(request);
      stub.answer(request, response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return stub;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }
}
