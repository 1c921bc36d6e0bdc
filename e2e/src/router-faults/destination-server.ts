import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Behaviour } from './behaviours';
import type { FanOutEvent } from './fan-out-event';
import type { Ledger } from './ledger';

/** The body that a pipeline of the plan produces for an event. */
interface Item {
  readonly p: string;
  readonly s: number;
  readonly u: number;
  readonly n: number;
}

const eventOf = ({ s, u, n }: Item): FanOutEvent => ({ source: s, user: u, number: n });

/** An HTTP server as a destination: takes single events and arrays, and answers by its behaviour. */
export class DestinationServer {
  requests = 0;
  /** The ledger in which an attempt with the event is recorded. */
  ledgerOf: (event: FanOutEvent) => Ledger;

  private constructor(
    private readonly server: Server,
    ledger: Ledger,
    /** Determines the following answers. */
    public behaviour: Behaviour,
  ) {
    this.ledgerOf = () => ledger;
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        this.answer(request, response, Buffer.concat(parts).toString());
      });
    });
  }

  /** @param ledger records every attempt. */
  static async open(ledger: Ledger, behaviour: Behaviour): Promise<DestinationServer> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new DestinationServer(server, ledger, behaviour);
  }

  get url(): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}/`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private answer({ headers }: IncomingMessage, response: ServerResponse, text: string): void {
    this.requests += 1;
    const items = [JSON.parse(text) as Item | Item[]].flat();
    const { status, headers: more, text: body, latencyMs = 0 } = this.behaviour(items.map(eventOf));
    const key = items.length === 1 ? String(headers['idempotency-key']) : undefined;
    const atMs = performance.now();
    for (const item of items)
      this.ledgerOf(eventOf(item)).note({
        pipeline: item.p,
        event: eventOf(item),
        atMs,
        status,
        idempotencyKey: key,
      });
    if (status === 0) return;
    const write = (): void => void response.writeHead(status, more).end(body);
    if (latencyMs === 0) write();
    else setTimeout(write, latencyMs);
  }
}
