import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A user as all these vendors have one. */
export interface VendorUser {
  readonly id: string;
  name: string;
  /** Milliseconds since 1970. */
  readonly createdMs: number;
  changedMs: number;
}

interface Listing {
  readonly users: readonly VendorUser[];
  readonly query: URLSearchParams;
}

/** How a vendor speaks. */
export interface Vendor {
  readonly connector: string;
  readonly settings: object;
  /** The property that is the name of a user. */
  readonly property: { readonly name: string; readonly [member: string]: unknown };
  /** What it answers at the path of its users; undefined at another one. */
  readonly list: (path: string, listing: Listing) => object | undefined;
  /** What it answers about the properties that users have. */
  readonly properties?: readonly [path: string, answer: object];
}

const iso = (ms: number): string => new Date(ms).toISOString();
const byChange = (a: VendorUser, b: VendorUser): number =>
  a.changedMs - b.changedMs || a.id.localeCompare(b.id);
const since = (users: readonly VendorUser[], time: string | null | undefined) =>
  users.filter(({ changedMs }) => (time ?? null) === null || changedMs > Date.parse(time ?? ''));
const page = <T>(users: readonly T[], query: URLSearchParams, size: string): T[] => {
  const offset = Number(query.get('offset'));
  return users.slice(offset, offset + Number(query.get(size)));
};
const OWN = { type: { kind: 'string' }, nullable: true, readOptional: true };

const MAILCHIMP: Vendor = {
  connector: 'mailchimp',
  settings: { apiKey: 'abcdefghij-us1', audience: 'list1' },
  property: { name: 'FNAME', ...OWN },
  properties: ['/3.0/lists/list1/merge-fields', { merge_fields: [{ tag: 'FNAME', type: 'text' }] }],
  list: (path, { users, query }) => {
    if (path !== '/3.0/lists/list1/members') return undefined;
    const found = since(users, query.get('since_last_changed')).sort(byChange);
    const members = page(found, query, 'count').map(({ id, name, changedMs }) => ({
      ...{ id, last_changed: iso(changedMs), merge_fields: { FNAME: name } },
    }));
    return { members, total_items: found.length };
  },
};

const KLAVIYO: Vendor = {
  connector: 'klaviyo',
  settings: { privateAPIKey: `pk_${'0'.repeat(40)}` },
  property: { name: 'first_name', type: { kind: 'string' }, nullable: true },
  list: (path, { users, query }) => {
    if (path !== '/api/profiles') return undefined;
    const [, after] = /^greater-than\(updated,(.+)\)$/.exec(query.get('filter') ?? '') ?? [];
    const found = since(users, after).sort(byChange);
    const [time, id = ''] = (query.get('page[cursor]') ?? '0 ').split(' ');
    const from = { id, changedMs: Number(time) } as VendorUser;
    const rest = found.filter((user) => byChange(user, from) > 0);
    const size = Number(query.get('page[size]'));
    const shown = rest.slice(0, size);
    const last = shown.at(-1);
    const cursor = encodeURIComponent(`${String(last?.changedMs)} ${last?.id ?? ''}`);
    const next = rest.length > size ? `https://vendor.test/?page%5Bcursor%5D=${cursor}` : null;
    const data = shown.map((user) => ({
      ...{ type: 'profile', id: user.id },
      attributes: { first_name: user.name, updated: iso(user.changedMs) },
    }));
    return { data, links: { next } };
  },
};

const BREVO: Vendor = {
  connector: 'brevo',
  settings: { apiKey: 'key-1234' },
  property: { name: 'FIRSTNAME', ...OWN },
  properties: [
    '/v3/contacts/attributes',
    { attributes: [{ name: 'FIRSTNAME', category: 'normal', type: 'text' }] },
  ],
  list: (path, { users, query }) => {
    if (path !== '/v3/contacts') return undefined;
    const found = since(users, query.get('modifiedSince')).sort(
      (a, b) => a.createdMs - b.createdMs,
    );
    const contacts = page(found, query, 'limit').map((user) => ({
      ...{ id: Number(user.id), attributes: { FIRSTNAME: user.name } },
      ...{ createdAt: iso(user.createdMs), modifiedAt: iso(user.changedMs) },
    }));
    return { contacts, count: found.length };
  },
};

export const VENDORS: readonly Vendor[] = [MAILCHIMP, KLAVIYO, BREVO];

/** A server that speaks as a vendor does. Written apart from the connectors' own stubs. */
export class VendorServer {
  /** Called before each list of users is answered, with its number from 1; a number is the status of the answer. */
  onList: (n: number) => number | undefined = () => undefined;
  lists = 0;

  private constructor(
    private readonly vendor: Vendor,
    readonly users: VendorUser[],
    private readonly server: Server,
  ) {}

  static async start(vendor: Vendor, users: VendorUser[]): Promise<VendorServer> {
    const server = createServer();
    const stub = new VendorServer(vendor, users, server);
    server.on('request', ({ url = '' }, response) => {
      const [status, body] = stub.answer(new URL(url, 'http://vendor.test'));
      response.writeHead(status, { 'Retry-After': '0' }).end(JSON.stringify(body));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return stub;
  }

  get settings(): object {
    const { port } = this.server.address() as AddressInfo;
    return { ...this.vendor.settings, baseURL: `http://127.0.0.1:${String(port)}` };
  }

  async close(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private answer({ pathname, searchParams: query }: URL): [status: number, body: object] {
    if (pathname === this.vendor.properties?.[0]) return [200, this.vendor.properties[1]];
    const before = this.vendor.list(pathname, { users: this.users, query });
    if (before === undefined) return [404, {}];
    this.lists += 1;
    const failure = this.onList(this.lists);
    if (failure !== undefined) return [failure, { message: 'not now' }];
    return [200, this.vendor.list(pathname, { users: this.users, query }) ?? {}];
  }
}
