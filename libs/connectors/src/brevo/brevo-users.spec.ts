import { compileCodec } from '@penstock/schema';
import { createGuardedHttp } from '../egress/undici-guarded-http';
import { answer } from '../http-stub.fixture';
import { aContext } from '../outgoing-event.fixture';
import { outcomesOf } from '../users/user-destination.conformance';
import { itKeepsThePromisesOfUserReads } from '../users/user-reads.conformance';
import { itKeepsThePromisesOfUserRequests } from '../users/user-requests.conformance';
import { itKeepsTheUserSourcePromises } from '../users/user-source.conformance';
import { asked, aUser, VendorSource } from '../users/vendor-source.fixture';
import { brevoConnector } from './brevo-connector';
import { brevoUserDestination } from './brevo-contacts';
import { aBrevoContact, BrevoContactsVendor } from './brevo-contacts-vendor.fixture';

const KEY = 'xkeysib-secret-key';

const contacts = (count: number) => Array.from({ length: count }, (_, n) => aBrevoContact(n + 1));

let vendor: BrevoContactsVendor;
const users = new VendorSource(
  brevoConnector,
  (origin) => ({ apiKey: KEY, baseURL: origin }),
  () => (vendor = new BrevoContactsVendor(KEY, contacts(1_203))).answer,
);
const { source } = users;

describe('the contacts', () =>
  itKeepsTheUserSourcePromises({ source, settings: () => users.settings(), count: 1_203 }));

describe.each(['schema', 'page'])('of Brevo, a %s', (what) =>
  itKeepsThePromisesOfUserReads({
    settings: (origin) => users.settings({ baseURL: origin }),
    secrets: [KEY],
    strangers: (origin) => users.settings({ apiKey: 'other', baseURL: origin }),
    vendor: () => new BrevoContactsVendor(KEY, contacts(3)).answer,
    read: (settings, context) =>
      what === 'schema'
        ? source.schema(settings, context)
        : source.read(
            { schema: users.schemaOf('email'), changedSince: null, cursor: '' },
            settings,
            context,
          ),
  }),
);

describe.each(['Source', 'Destination'] as const)('a question about the settings of a %s', (role) =>
  itKeepsThePromisesOfUserReads({
    settings: (origin) => users.settings({ baseURL: origin }),
    secrets: [KEY],
    strangers: (origin) => users.settings({ apiKey: 'other', baseURL: origin }),
    vendor: () => new BrevoContactsVendor(KEY).answer,
    read: (given, context) => asked(brevoConnector, given, role, context),
  }),
);

describe('contacts that are written', () =>
  itKeepsThePromisesOfUserRequests({
    destination: brevoUserDestination,
    settings: (origin) => users.settings({ baseURL: origin }),
    secrets: [KEY],
    vendor: () => new BrevoContactsVendor(KEY).answer,
    schema: users.schemaOf('email', 'FIRSTNAME'),
    user: (n, id) => aUser({ email: `new-${String(n)}@example.com`, FIRSTNAME: 'Ada' }, id, n),
    lookUp: { property: 'email', value: (n) => `new-${String(n)}@example.com` },
  }));

it('has the properties of all accounts, and the attributes of contacts of this one', async () => {
  const { properties } = await users.schema();
  const own = properties.filter(({ name }) => name === name.toUpperCase());
  expect(
    own.map(({ name, type, nullable, readOptional }) => [name, type.kind, nullable, readOptional]),
  ).toEqual([
    ['FIRSTNAME', 'string', true, true],
    ['AGE', 'float', true, true],
    ['BORN', 'date', true, true],
    ['OPTED', 'boolean', true, true],
    ['COUNTRIES', 'array', true, true],
    ['GENDER', 'string', true, true],
  ]);
});

it('has a schema of what may be written', async () => {
  const properties = await users.written();
  expect(properties['GENDER']).toMatchObject({ nullable: true });
  expect(properties['email']).toMatchObject({ createRequired: false, nullable: false });
  for (const name of ['id', 'createdAt', 'SUM']) expect(properties).not.toHaveProperty(name);
});

it('gives contacts with the values that they have', async () => {
  const schema = await users.schema();
  const [first, second] = (await users.read({ schema })).users;
  const codec = compileCodec(schema);
  expect(JSON.parse(first ? codec.encode(first.values) : '')).toEqual({
    id: 1,
    email: 'user-1@example.com',
    emailBlacklisted: false,
    smsBlacklisted: false,
    listIds: [1],
    createdAt: '2026-01-01T00:01:00Z',
    modifiedAt: '2026-01-02T00:37:00Z',
    FIRSTNAME: 'Ada',
    BORN: '1990-04-05',
    OPTED: false,
    COUNTRIES: ['India', 'China'],
    GENDER: 'Women',
  });
  expect(JSON.parse(second ? codec.encode(second.values) : '')).toMatchObject({
    ext_id: 'user-2',
    AGE: 2,
    GENDER: 'Men',
  });
  expect([first?.id, first?.updatedAt]).toEqual(['1', '2026-01-02T00:37:00Z']);
});

it('reads who is left when contacts go between two pages', async () => {
  const first = await users.read();
  vendor.contacts.splice(10, 20);
  const seen = new Set([...first.users, ...(await users.rest(first.next))].map(({ id }) => id));
  expect(seen.size).toBe(1_203);
});

it('reads on when an attribute changes between two pages', async () => {
  const schema = await users.schema();
  const first = await users.read({ schema });
  vendor.attributes = [{ name: 'AGE', category: 'normal', type: 'text' }];
  for (const contact of vendor.contacts)
    contact.attributes = { AGE: contact.id === 700 ? 'old' : '44', GENDER: 'Other' };
  const rest = await users.rest(first.next, { schema });
  expect(rest).toHaveLength(703);
  expect(rest.filter(({ fault }) => fault !== undefined)).toMatchObject([
    { id: '700', fault: expect.stringMatching(/^\/AGE: /) as string },
  ]);
  expect(rest[0]?.values).toMatchObject({ AGE: 44, GENDER: 'Other' });
});

it('asks for smaller pages when they would be cut', async () => {
  for (const { attributes } of vendor.contacts) attributes['FIRSTNAME'] = 'x'.repeat(3_000);
  const page = await users.read({ schema: users.schemaOf('FIRSTNAME') });
  expect(page.users).toHaveLength(250);
});

it.each<[Record<string, string>, object]>([
  [{ 'x-sib-ratelimit-reset': '9' }, { retryAfterMs: 9_000 }],
  [{ 'x-sib-ratelimit-reset': '9', 'Retry-After': '4' }, { retryAfterMs: 4_000 }],
])('takes the delay from the headers %j', async (headers, expected) => {
  const http = createGuardedHttp({ allow: ['127.0.0.0/8'] });
  users.stub.next(answer(429, '', headers));
  const read = await source.schema(users.settings(), aContext(http));
  expect(read).toMatchObject({ kind: 'unavailable', status: 429, ...expected });
  await http.close();
});

it('keeps below the rate', () => {
  const { ratePerSecond } = source.limits(users.settings(), false);
  expect(ratePerSecond).toBeLessThanOrEqual(10 * 0.8);
});

describe('what is written', () => {
  const write = async (values: Record<string, string | null>, id?: string) => {
    const http = createGuardedHttp({ allow: ['127.0.0.0/8'] });
    const schema = users.schemaOf(...Object.keys(values));
    const batch = { schema, users: [aUser(values, id)] };
    const result = await brevoUserDestination.upsert(batch, users.settings(), aContext(http));
    await http.close();
    return outcomesOf(result)[0];
  };

  const body = (): unknown => JSON.parse(users.stub.requests.at(-1)?.body ?? '');

  it('is a contact with its attributes', async () => {
    const values = { email: 'new@example.com', ext_id: 'n1', FIRSTNAME: 'Ada', GENDER: null };
    expect(await write(values)).toMatchObject({ kind: 'written', id: '1000001' });
    expect(body()).toEqual({
      ...{ email: 'new@example.com', ext_id: 'n1' },
      attributes: { FIRSTNAME: 'Ada' },
    });
  });

  it('changes the address as an attribute, and takes a value away by an empty text', async () => {
    expect(await write({ email: 'new@example.com', FIRSTNAME: null }, '2')).toEqual({
      kind: 'written',
    });
    expect(body()).toEqual({ attributes: { FIRSTNAME: '', EMAIL: 'new@example.com' } });
    expect(vendor.contacts[1]).toMatchObject({ email: 'new@example.com' });
  });

  it('is rejected by the vendor when another contact has the address', async () => {
    expect(await write({ email: 'user-1@example.com' })).toMatchObject({
      kind: 'rejected',
      reason: expect.stringContaining('already exist') as string,
    });
  });

  it('is not sent without an identifier', async () => {
    expect(await write({ FIRSTNAME: 'Ada' })).toEqual({
      kind: 'rejected',
      reason: 'one of email, ext_id, SMS is needed',
    });
    expect(users.stub.requests).toEqual([]);
  });
});

it('finds contacts by what tells them from others', async () => {
  const http = createGuardedHttp({ allow: ['127.0.0.0/8'] });
  const find = (property: string, value: string) =>
    brevoUserDestination.lookUp?.find(property, [value], users.settings(), aContext(http));
  const found = (id: string, value: string) => ({ kind: 'answered', value: [{ id, value }] });
  expect(await find('id', '2')).toEqual(found('2', '2'));
  expect(await find('ext_id', 'user-2')).toEqual(found('2', 'user-2'));
  expect(await find('email', 'User-2@example.com')).toEqual(found('2', 'User-2@example.com'));
  expect(await find('email', 'nobody/../x@example.com')).toEqual({ kind: 'answered', value: [] });
  expect(await find('email', '')).toEqual({ kind: 'answered', value: [] });
  users.stub.next(answer(404, '{"code":"other"}'));
  expect(await find('id', '2')).toMatchObject({ kind: 'unavailable' });
  await http.close();
});
