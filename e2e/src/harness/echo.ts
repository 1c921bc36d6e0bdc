import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

const HTML: Readonly<Record<string, string>> = {
  '"': '&quot;',
  "'": '&#39;',
  '<': '&lt;',
  '>': '&gt;',
  '&': '&amp;',
};

/** Formats in which servers repeat a part of a request. */
const WRITTEN: Readonly<Record<string, (part: string) => string>> = {
  text: (part) => part,
  json: (part) => JSON.stringify({ error: part }).replaceAll('/', '\\/'),
  html: (part) => `<p>${part.replace(/["'<>&]/g, (each) => HTML[each] ?? '')}</p>`,
};

/** What applications answer when they are asked whether they accept settings. */
const ACCEPTED = JSON.stringify({ data: [], email: 'ada@example.com' });

/**
 * A server that repeats a part of each request: `/<status>/<text, json or html>/<url, body or a header>`. A request that
 * only asks is answered well, unless its status is 401.
 */
export class Echo {
  /** Bodies that were answered 200. */
  readonly taken: string[] = [];

  private constructor(private readonly server: Server) {
    server.on('request', (request: IncomingMessage, response) => {
      void text(request).then((body) => {
        const { url = '', headers, method } = request;
        const [, status, written = '', part = ''] = url.split(/[/?]/);
        if (method === 'GET' && status !== '401') {
          response.end(ACCEPTED);
          return;
        }
        if (status === '200') this.taken.push(JSON.stringify({ url, headers, body }));
        const named = part === 'url' ? url : part === 'body' ? body : String(headers[part]);
        response.writeHead(Number(status)).end(WRITTEN[written]?.(named));
      });
    });
  }

  static async open(): Promise<Echo> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Echo(server);
  }

  get origin(): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}
