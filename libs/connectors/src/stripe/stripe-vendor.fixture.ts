import { type Answer, answer, type ReceivedRequest } from '../http-stub.fixture';

type Reply = readonly [status: number, body: object];

interface Customer {
  readonly id: string;
  readonly created: number;
  readonly given: Map<string, string>;
}

const refused = (status: number, code: string, message: string): Reply => [
  status,
  { error: { type: 'invalid_request_error', code, message } },
];

const TEXTS = ['email', 'name', 'phone', 'description', 'tax_exempt'];
const ADDRESS = ['city', 'country', 'line1', 'line2', 'postal_code', 'state'];

/** Parameters of creating and updating a customer that the connector may send. */
const PARAMETER = new RegExp(
  `^(?:${TEXTS.join('|')}|address|shipping|metadata|preferred_locales(?:\\[\\d+\\])?` +
    `|address\\[(?:${ADDRESS.join('|')})\\]|shipping\\[(?:name|phone|address)\\]` +
    `|shipping\\[address\\]\\[(?:${ADDRESS.join('|')})\\]|metadata\\[[^[\\]]{1,40}\\])$`,
);

/**
 * Customers of one account. Parameters that it does not know are errors, as with Stripe.
 *
 * Source: Stripe's API reference "Customers", "Pagination", "Idempotent requests" and "Errors", version
 * 2025-09-30.clover, as of November 2026.
 */
export class StripeVendor {
  /** The most recent first. */
  readonly customers: Customer[] = [];
  /** Members that every customer has beside those that were written. */
  more: Record<string, unknown> = {};
  private readonly replies = new Map<string, { readonly body: string; readonly reply: Reply }>();
  private nextId = 1;

  constructor(
    private readonly key: string,
    private readonly clock: () => number = () => Math.floor(Date.now() / 1_000),
  ) {}

  add(given: Readonly<Record<string, string>>): string {
    const id = `cus_${String(this.nextId)}`;
    this.nextId += 1;
    this.customers.unshift({ id, created: this.clock(), given: new Map(Object.entries(given)) });
    return id;
  }

  delete(id: string): void {
    this.customers.splice(
      this.customers.findIndex((each) => each.id === id),
      1,
    );
  }

  readonly answer: Answer = (response, request) => {
    const [status, body] = this.reply(request);
    answer(status, JSON.stringify(body), { 'Content-Type': 'application/json' })(response, request);
  };

  private reply(request: ReceivedRequest): Reply {
    const { method, headers, body } = request;
    const url = new URL(request.url, 'http://stub');
    if (headers.authorization !== `Bearer ${this.key}`)
      return refused(401, 'api_key_invalid', 'Invalid API Key provided');
    if (headers['stripe-version'] !== '2025-09-30.clover')
      return refused(400, 'api_version', 'Invalid Stripe API version');
    if (method === 'GET' && url.pathname === '/v1/customers') return this.list(url.searchParams);
    const [, id] = /^\/v1\/customers(?:\/(\w+))?$/.exec(url.pathname) ?? [];
    if (method !== 'POST' || !url.pathname.startsWith('/v1/customers'))
      return refused(404, 'unknown', 'Unrecognized request URL');
    return this.once(String(headers['idempotency-key']), `${url.pathname}?${body}`, () =>
      this.write(id, new URLSearchParams(body)),
    );
  }

  /** The answer to a key is remembered; another request with it is an error. */
  private once(key: string, body: string, work: () => Reply): Reply {
    const known = this.replies.get(key);
    if (known !== undefined)
      return known.body === body
        ? known.reply
        : refused(400, 'idempotency_error', 'Keys for idempotent requests can only be used once');
    const reply = work();
    if (reply[0] === 200) this.replies.set(key, { body, reply });
    return reply;
  }

  private list(parameters: URLSearchParams): Reply {
    const known = ['limit', 'starting_after', 'email', 'created[lte]'];
    for (const name of parameters.keys())
      if (!known.includes(name))
        return refused(400, 'parameter_unknown', `Received unknown parameter: ${name}`);
    const limit = Number(parameters.get('limit') ?? '10');
    if (limit < 1 || limit > 100) return refused(400, 'parameter_invalid_integer', 'limit');
    const email = parameters.get('email');
    const until = Number(parameters.get('created[lte]') ?? Infinity);
    const matching = this.customers.filter(
      ({ given, created }) => created <= until && (email === null || given.get('email') === email),
    );
    const after = parameters.get('starting_after');
    const place = matching.findIndex(({ id }) => id === after);
    if (after !== null && place === -1)
      return refused(400, 'resource_missing', `No such customer: '${after}'`);
    const rest = matching.slice(place + 1);
    const data = rest.slice(0, limit).map((each) => this.shown(each));
    return [200, { object: 'list', url: '/v1/customers', has_more: rest.length > limit, data }];
  }

  private write(id: string | undefined, parameters: URLSearchParams): Reply {
    for (const name of parameters.keys())
      if (!PARAMETER.test(name))
        return refused(400, 'parameter_unknown', `Received unknown parameter: ${name}`);
    const email = parameters.get('email');
    if (email !== null && email !== '' && !email.includes('@'))
      return refused(400, 'email_invalid', `Invalid email address: ${email}`);
    const key = id ?? this.add({});
    const present = this.customers.find((each) => each.id === key);
    if (present === undefined)
      return refused(404, 'resource_missing', `No such customer: '${String(id)}'`);
    for (const [name, value] of parameters)
      if (value === '') present.given.delete(name);
      else present.given.set(name, value);
    return [200, this.shown(present)];
  }

  private shown({ id, created, given }: Customer): object {
    const text = (name: string): string | null => given.get(name) ?? null;
    const under = (name: string): [string, string][] =>
      [...given].flatMap(([key, value]): [string, string][] => {
        const [, member] = key.startsWith(`${name}[`) ? (/\[([^\]]*)\]$/.exec(key) ?? []) : [];
        return member === undefined ? [] : [[member, value]];
      });
    const address = under('address');
    const whole = Object.fromEntries(ADDRESS.map((name) => [name, null]));
    return {
      id,
      object: 'customer',
      created,
      ...Object.fromEntries(TEXTS.map((name) => [name, text(name)])),
      address: address.length === 0 ? null : { ...whole, ...Object.fromEntries(address) },
      shipping: null,
      metadata: Object.fromEntries(under('metadata')),
      preferred_locales: under('preferred_locales').map(([, value]) => value),
      balance: 0,
      currency: null,
      delinquent: false,
      invoice_prefix: '0759376C',
      livemode: false,
      discount: null,
      ...this.more,
    };
  }
}
