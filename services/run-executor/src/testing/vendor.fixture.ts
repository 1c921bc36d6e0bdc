import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A user of a vendor. */
export interface VendorUser {
  readonly id: number;
  readonly email: string;
  /** Milliseconds since 1970. */
  changedMs: number;
}

/** An answer in place of that of the vendor: a status, and headers. */
type Failure = readonly [status: number, headers: Record<string, string>];

/** A request to a vendor. */
interface Asked {
  readonly url: URL;
  readonly authorization: string;
}

type Handler = (url: URL, body: string) => object;

const iso = (ms: number): string => new Date(ms).toISOString();

/** A server on the loopback interface that gives users as a vendor does, and fails where a spec wants it to. */
export class VendorServer {
  users: VendorUser[] = [];
  /** Requests so far. */
  count = 0;
  /** Answers to requests, by their numbers from 1. */
  readonly failures = new Map<number, Failure>();
  /** Awaited before each answer. @returns another one, in its place. */
  intercept: (asked: Asked) => Promise<Failure | undefined> = () => Promise.resolve(undefined);

  private constructor(
    private readonly server: Server,
    private readonly handlers: Readonly<Record<string, (vendor: VendorServer) => Handler>>,
  ) {}

  static async start(
    handlers: Readonly<Record<string, (vendor: VendorServer) => Handler>>,
  ): Promise<VendorServer> {
    const server = createServer();
    const vendor = new VendorServer(server, handlers);
    server.on('request', (request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const { method = '', headers } = request;
        const url = new URL(request.url ?? '', 'http://vendor');
        const asked = { url, authorization: headers.authorization ?? '' };
        const body = Buffer.concat(parts).toString();
        void vendor.reply(method, asked, body).then((answer) => {
          if (typeof answer === 'string') response.end(answer);
          else response.writeHead(...answer).end();
        });
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return vendor;
  }

  get origin(): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}`;
  }

  async close(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private async reply(method: string, asked: Asked, body: string): Promise<string | Failure> {
    this.count += 1;
    const failure = this.failures.get(this.count) ?? (await this.intercept(asked));
    if (failure !== undefined) return failure;
    const { url } = asked;
    const handler = this.handlers[`${method} ${url.pathname}`];
    return handler === undefined ? [404, {}] : JSON.stringify(handler(this)(url, body));
  }
}

const contact = ({ id, email, changedMs }: VendorUser): object => ({
  id: String(id),
  properties: { email },
  createdAt: iso(0),
  updatedAt: iso(changedMs),
});

/** What the connector `hubspot` reads. */
export const HUBSPOT: Readonly<Record<string, (vendor: VendorServer) => Handler>> = {
  'GET /crm/v3/properties/contacts': () => () => ({
    results: [{ name: 'email', type: 'string', hubspotDefined: true }],
  }),
  'GET /crm/v3/objects/contacts': (vendor) => (url) => {
    const after = Number(url.searchParams.get('after') ?? '0');
    const limit = Number(url.searchParams.get('limit'));
    const rest = vendor.users.filter(({ id }) => id > after);
    const page = rest.slice(0, limit);
    const next = { next: { after: String(page.at(-1)?.id) } };
    return { results: page.map(contact), ...(rest.length > limit && { paging: next }) };
  },
  'POST /crm/v3/objects/contacts/search': (vendor) => (_, body) => {
    const { filterGroups, limit } = JSON.parse(body) as {
      readonly filterGroups: [{ readonly filters: [{ value: string }, { value: string }] }];
      readonly limit: number;
    };
    const [from, to] = filterGroups[0].filters.map(({ value }) => Number(value));
    const found = vendor.users
      .filter(({ changedMs }) => changedMs >= Number(from) && changedMs <= Number(to))
      .sort((one, other) => one.changedMs - other.changedMs);
    return { total: found.length, results: found.slice(0, limit).map(contact) };
  },
};

/** What the connector `stripe` reads. */
export const STRIPE: Readonly<Record<string, (vendor: VendorServer) => Handler>> = {
  'GET /v1/customers': (vendor) => (url) => {
    const after = url.searchParams.get('starting_after');
    const limit = Number(url.searchParams.get('limit'));
    const newest = vendor.users.toReversed();
    const rest = newest.slice(newest.findIndex(({ id }) => `cus_${String(id)}` === after) + 1);
    const data = rest.slice(0, limit).map(({ id, email, changedMs }) => ({
      ...{ id: `cus_${String(id)}`, object: 'customer', email },
      created: Math.floor(changedMs / 1_000),
    }));
    return { object: 'list', data, has_more: rest.length > limit };
  },
};
