import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { addWitness } from './until.fixture';

export interface Received {
  readonly idempotencyKey: string;
  /** The event, or the result of its transformation. */
  readonly body: Record<string, unknown>;
}

type Answer = (body: Record<string, unknown>) => number;

/** An HTTP server as a destination: takes single events and arrays, and answers as the test sets. */
export class Receiver {
  /** Events that were answered 200, in order. */
  readonly taken: Received[] = [];
  requests = 0;
  /** Delays each answer. */
  hold: () => Promise<void> = () => Promise.resolve();
  answer: Answer = () => 200;
  /** The body of the answer to a request with these bodies. */
  answerText: (status: number, bodies: readonly Record<string, unknown>[]) => string = (status) =>
    status === 200 ? '' : 'not now';
  private readonly server: Server;
  private removeWitness: () => void = () => undefined;

  private constructor() {
    this.server = createServer((request, response) => {
      let text = '';
      request.setEncoding('utf8').on('data', (part: string) => (text += part));
      request.on('end', () => {
        this.requests += 1;
        void this.hold().then(() => {
          this.respond(text, request, response);
        });
      });
    });
  }

  private respond(text: string, request: IncomingMessage, response: ServerResponse): void {
    const json = JSON.parse(text) as Record<string, unknown> | Record<string, unknown>[];
    const bodies = Array.isArray(json) ? json : [json];
    const status = Math.max(...bodies.map((body) => this.answer(body)));
    if (status === 200) {
      const idempotencyKey = String(request.headers['idempotency-key']);
      this.taken.push(...bodies.map((body) => ({ idempotencyKey, body })));
    }
    response.writeHead(status).end(this.answerText(status, bodies));
  }

  static async open(): Promise<Receiver> {
    const receiver = new Receiver();
    receiver.server.listen(0, '127.0.0.1');
    await once(receiver.server, 'listening');
    receiver.removeWitness = addWitness(`receiver ${receiver.url}`, () => ({
      requests: receiver.requests,
      taken: receiver.taken.length,
      last: receiver.taken.slice(-3),
    }));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  /** The message ids of one user in `taken`. */
  of(user: string): unknown[] {
    return this.taken
      .filter(({ body }) => body['anonymousId'] === user)
      .map(({ body }) => body['messageId']);
  }

  async close(): Promise<void> {
    this.removeWitness();
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}
