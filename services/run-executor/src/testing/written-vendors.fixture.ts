import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A user at a vendor. */
export interface WrittenUser {
  readonly id: string;
  readonly email: string;
  name: string;
}

type Json = Readonly<Record<string, unknown>>;
type Reply = readonly [status: number, body: object];

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Json;
}

/** What vendors do with their users. */
interface Users {
  readonly all: readonly WrittenUser[];
  /** @returns undefined when somebody has the address. */
  create(email: string, name: string): WrittenUser | undefined;
}

/** How a vendor speaks whose users are written. */
export interface WrittenVendor {
  readonly connector: string;
  readonly settings: object;
  /** Properties of users: the address, by which they are matched, and the name, with what their schemas say beside. */
  readonly email: readonly [name: string, flags: object];
  readonly name: string;
  /** Users of one request. */
  readonly maxUsers: number;
  /** Whether a request writes users. */
  readonly writes: (asked: Asked) => boolean;
  readonly answer: (asked: Asked, users: Users) => Reply;
}

const NOT_FOUND: Reply = [404, { code: 'document_not_found' }];

const object = (value: unknown): Json => (value ?? {}) as Json;
const list = (value: unknown): readonly Json[] => (value ?? []) as readonly Json[];
const text = (value: unknown): string => value as string;

const TIME = '2024-01-01T00:00:00.000Z';

const MAILCHIMP: WrittenVendor = {
  connector: 'mailchimp',
  settings: { apiKey: 'abcdefghij-us1', audience: 'list1' },
  email: ['email_address', { createRequired: true, updateRequired: true }],
  name: 'FNAME',
  maxUsers: 150,
  writes: ({ method }) => method === 'POST',
  answer: ({ method, path, query, body }, users) => {
    if (path.endsWith('/merge-fields'))
      return [200, { merge_fields: [{ tag: 'FNAME', type: 'text' }] }];
    const shown = ({ id, email, name }: WrittenUser) => ({
      ...{ id, email_address: email, last_changed: TIME, merge_fields: { FNAME: name } },
    });
    if (method === 'GET') {
      const from = Number(query.get('offset'));
      const members = users.all.slice(from, from + Number(query.get('count'))).map(shown);
      return [200, { members, total_items: users.all.length }];
    }
    const written = list(body['members']).map((member) => {
      const email = text(member['email_address']).toLowerCase();
      const name = text(object(member['merge_fields'])['FNAME']);
      const there = users.all.find((each) => each.email === email);
      if (there !== undefined) there.name = name;
      return there ?? users.create(email, name);
    });
    const members = written.flatMap((each) => (each === undefined ? [] : [shown(each)]));
    return [200, { new_members: members, updated_members: [], errors: [] }];
  },
};

const BREVO: WrittenVendor = {
  connector: 'brevo',
  settings: { apiKey: 'key-1234' },
  email: ['email', {}],
  name: 'FIRSTNAME',
  maxUsers: 1,
  writes: ({ method }) => method !== 'GET',
  answer: ({ method, path, query, body }, users) => {
    if (path === '/v3/contacts/attributes')
      return [200, { attributes: [{ name: 'FIRSTNAME', category: 'normal', type: 'text' }] }];
    const shown = ({ id, email, name }: WrittenUser) => ({
      ...{ id: Number(id), email, attributes: { FIRSTNAME: name } },
      ...{ createdAt: TIME, modifiedAt: TIME },
    });
    const place = decodeURIComponent(path.split('/')[3] ?? '');
    if (method === 'GET' && place === '') {
      const from = Number(query.get('offset'));
      const contacts = users.all.slice(from, from + Number(query.get('limit'))).map(shown);
      return [200, { contacts, count: users.all.length }];
    }
    const name = text(object(body['attributes'])['FIRSTNAME']);
    if (method === 'POST') {
      const made = users.create(text(body['email']), name);
      return made === undefined
        ? [400, { code: 'duplicate_parameter', message: `${text(body['email'])} is in use` }]
        : [201, { id: Number(made.id) }];
    }
    const found = users.all.find(({ id, email }) => id === place || email === place);
    if (found === undefined) return NOT_FOUND;
    if (method === 'PUT') found.name = name;
    return [method === 'PUT' ? 204 : 200, shown(found)];
  },
};

const KLAVIYO: WrittenVendor = {
  connector: 'klaviyo',
  settings: { privateAPIKey: `pk_${'0'.repeat(40)}` },
  email: ['email', { nullable: true }],
  name: 'first_name',
  maxUsers: 1,
  writes: ({ method }) => method !== 'GET',
  answer: ({ method, path, query, body }, users) => {
    const data = ({ id, email, name }: WrittenUser) => ({
      ...{ type: 'profile', id, attributes: { email, first_name: name, updated: TIME } },
    });
    if (method === 'GET') {
      const [, values = '[]'] = /^any\(email,(.*)\)$/.exec(query.get('filter') ?? '') ?? [];
      const wanted = new Set(JSON.parse(values) as string[]);
      const found = users.all.filter(({ email }) => wanted.has(email));
      return [200, { data: found.map(data), links: { next: null } }];
    }
    const attributes = object(object(body['data'])['attributes']);
    const name = text(attributes['first_name']);
    if (method === 'POST') {
      const made = users.create(text(attributes['email']), name);
      return made === undefined ? [409, { errors: [] }] : [201, { data: data(made) }];
    }
    const user = users.all.find(({ id }) => id === path.split('/')[3]);
    if (user === undefined) return NOT_FOUND;
    user.name = name;
    return [200, { data: data(user) }];
  },
};

export const WRITTEN_VENDORS: readonly WrittenVendor[] = [MAILCHIMP, BREVO, KLAVIYO];

const received = async (request: IncomingMessage): Promise<Asked> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { pathname: path, searchParams: query } = new URL(request.url ?? '', 'http://vendor.test');
  const body = Buffer.concat(chunks).toString('utf8');
  return { method: request.method ?? '', path, query, body: JSON.parse(body || '{}') as Json };
};

/** A server that speaks as a vendor does whose users are written. */
export class WrittenVendorServer {
  /**
   * Called before each request that writes users, with its number from 1: `lost`, it is carried out and not answered; a
   * status, with which it is answered and not carried out.
   */
  onWrite: (n: number) => 'lost' | number | undefined = () => undefined;
  writes = 0;
  readonly users: WrittenUser[] = [];
  private readonly server: Server;

  private constructor(private readonly vendor: WrittenVendor) {
    this.server = createServer((request, response) => {
      void received(request).then((asked) => {
        const isWrite = vendor.writes(asked);
        const accident = isWrite ? this.onWrite((this.writes += 1)) : undefined;
        if (typeof accident === 'number')
          return response.writeHead(accident, { 'Retry-After': '0' }).end('{"message":"not now"}');
        const [status, body] = vendor.answer(asked, { all: this.users, create: this.create });
        if (accident === 'lost') return request.socket.destroy();
        return response.writeHead(status).end(status === 204 ? '' : JSON.stringify(body));
      });
    });
  }

  static async start(vendor: WrittenVendor): Promise<WrittenVendorServer> {
    const stub = new WrittenVendorServer(vendor);
    stub.server.listen(0, '127.0.0.1');
    await once(stub.server, 'listening');
    return stub;
  }

  get settings(): object {
    const { port } = this.server.address() as AddressInfo;
    return { ...this.vendor.settings, baseURL: `http://127.0.0.1:${String(port)}` };
  }

  readonly create = (email: string, name: string): WrittenUser | undefined => {
    if (this.users.some((each) => each.email === email)) return undefined;
    const id =
      this.vendor.connector === 'mailchimp'
        ? createHash('md5').update(email).digest('hex')
        : String(this.users.length + 1);
    const user = { id, email, name };
    this.users.push(user);
    return user;
  };

  async close(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }
}
