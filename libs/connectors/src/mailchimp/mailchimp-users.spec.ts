import { compileCodec } from '@penstock/schema';
import { badPaths, checked } from '../settings-table.fixture';
import { VendorSource } from '../users/vendor-source.fixture';
import { itKeepsTheUserSourcePromises } from '../users/user-source.conformance';
import { itKeepsThePromisesOfUserReads } from '../users/user-reads.conformance';
import { mailchimpConnector } from './mailchimp-connector';
import { aMailchimpMember, MailchimpVendor } from './mailchimp-vendor.fixture';

const KEY = '0123456789abcdef0123456789abcdef-us21';
const LOGIN = Buffer.from(`penstock:${KEY}`).toString('base64');
const AUDIENCE = 'a1b2c3';

const members = (count: number) => Array.from({ length: count }, (_, n) => aMailchimpMember(n + 1));

let vendor: MailchimpVendor;
const users = new VendorSource(
  mailchimpConnector,
  (origin) => ({ apiKey: KEY, audience: AUDIENCE, baseURL: origin }),
  () => (vendor = new MailchimpVendor(KEY, AUDIENCE, members(1_203))).answer,
);
const { source } = users;

describe('the members', () =>
  itKeepsTheUserSourcePromises({ source, settings: () => users.settings(), count: 1_203 }));

describe.each(['schema', 'page'])('of Mailchimp, a %s', (what) =>
  itKeepsThePromisesOfUserReads({
    settings: (origin) => users.settings({ baseURL: origin }),
    secrets: [KEY, LOGIN],
    strangers: (origin) => users.settings({ apiKey: `0${KEY}`, baseURL: origin }),
    vendor: () => new MailchimpVendor(KEY, AUDIENCE, members(3)).answer,
    read: (settings, context) =>
      what === 'schema'
        ? source.schema(settings, context)
        : source.read(
            { schema: users.schemaOf('email_address'), changedSince: null, cursor: '' },
            settings,
            context,
          ),
  }),
);

it('has the properties of all audiences, and the merge fields of its own', async () => {
  const { properties } = await users.schema();
  expect(properties.slice(0, 3).map(({ name }) => name)).toEqual(['id', 'email_address', 'status']);
  const own = properties.filter(({ name }) => name === name.toUpperCase());
  expect(
    own.map(({ name, type, nullable, readOptional }) => [name, type.kind, nullable, readOptional]),
  ).toEqual([
    ['FNAME', 'string', true, true],
    ['AGE', 'float', true, true],
    ['BORN', 'date', true, true],
    ['ADDRESS', 'object', true, true],
    ['PLAN', 'string', true, true],
  ]);
});

it('gives members with the values that they have', async () => {
  const schema = await users.schema();
  const [first, second] = (await users.read({ schema })).users;
  const codec = compileCodec(schema);
  expect(JSON.parse(first ? codec.encode(first.values) : '')).toMatchObject({
    id: `${'0'.repeat(30)}a1`,
    email_address: 'user-1@example.com',
    ip_signup: null,
    timestamp_signup: null,
    timestamp_opt: '2025-12-01T08:30:00Z',
    location: { latitude: 41.9, country_code: 'IT' },
    tags: ['vip'],
    interests: { '9f': false },
    FNAME: 'Ada',
    AGE: 1,
    BORN: null,
    ADDRESS: { addr1: '1 Main Street', addr2: null, city: 'Rome' },
    PLAN: 'Silver',
  });
  expect(JSON.parse(second ? codec.encode(second.values) : '')).toMatchObject({
    BORN: '1990-04-05',
  });
  expect(first?.updatedAt).toBe('2026-01-01T00:01:00Z');
});

it('asks for what is wanted, and for nothing else', async () => {
  await users.read({ schema: users.schemaOf('email_address') });
  const { searchParams } = new URL(users.stub.requests.at(-1)?.url ?? '', 'https://example.com');
  expect(searchParams.get('fields')).toBe(
    'total_items,members.id,members.last_changed,members.email_address',
  );
});

it('reads who is left when members go or change between two pages', async () => {
  const first = await users.read();
  const gone = vendor.members.splice(10, 20);
  const changed = vendor.members.splice(0, 3);
  for (const member of changed)
    vendor.members.push({ ...member, last_changed: '2026-06-01T00:00:00+00:00' });
  const seen = new Set([...first.users, ...(await users.rest(first.next))].map(({ id }) => id));
  expect(seen.size).toBe(1_203);
  expect(gone).toHaveLength(20);
});

it('reads on when a merge field changes between two pages', async () => {
  const schema = await users.schema();
  const first = await users.read({ schema });
  vendor.mergeFields = [{ tag: 'AGE', type: 'text' }];
  for (const [index, member] of vendor.members.entries())
    vendor.members[index] = { ...member, merge_fields: { AGE: index === 700 ? 'old' : '44' } };
  const rest = await users.rest(first.next, { schema });
  expect(rest).toHaveLength(703);
  const faulty = rest.filter(({ fault }) => fault !== undefined);
  expect(faulty).toMatchObject([{ fault: expect.stringMatching(/^\/AGE: /) as string }]);
  expect(rest[0]?.values).toMatchObject({ AGE: 44 });
  expect(rest[0]?.values).not.toHaveProperty('FNAME');
  const now = (await users.schema()).properties.map(({ name }) => name);
  expect(now).toContain('AGE');
  expect(now).not.toContain('FNAME');
});

it('asks for smaller pages when they would be cut', async () => {
  const long = 'x'.repeat(4_000);
  for (const member of vendor.members) member['full_name'] = long;
  const page = await users.read({ schema: users.schemaOf('full_name') });
  expect(page.users).toHaveLength(250);
  const counts = users.stub.requests.map(({ url }) => /[?&]count=(\d+)/.exec(url)?.[1]);
  await users.read({ schema: users.schemaOf('full_name'), cursor: page.next ?? '' });
  expect(counts.slice(-2)).toEqual(['500', '250']);
  expect(users.stub.requests.at(-1)?.url).toContain('count=250');
});

it('reads on when the vendor gives fewer members than asked for', async () => {
  users.stub.always(new MailchimpVendor(KEY, AUDIENCE, members(250), 100).answer);
  expect(await users.rest('')).toHaveLength(250);
});

it('keeps below ten requests at once', () => {
  expect(source.limits(users.settings(), false).concurrency).toBeLessThanOrEqual(10 * 0.8);
});

const GOOD = { apiKey: KEY, audience: AUDIENCE };

it.each<[string, object]>([
  ['/apiKey', { audience: AUDIENCE }],
  ['/apiKey', { ...GOOD, apiKey: 'abcdefghi' }],
  ['/apiKey', { ...GOOD, apiKey: `${'a'.repeat(97)}-us1` }],
  ['/apiKey', { ...GOOD, apiKey: 'abcdef0123456789' }],
  ['/apiKey', { ...GOOD, apiKey: 'abcdef0123-us1.evil' }],
  ['/apiKey', { ...GOOD, apiKey: 'abcdef 0123-us1' }],
  ['/audience', { apiKey: KEY }],
  ['/audience', { ...GOOD, audience: '' }],
  ['/audience', { ...GOOD, audience: '..' }],
  ['/audience', { ...GOOD, audience: 'a'.repeat(101) }],
  ['/baseURL', { ...GOOD, baseURL: 'https://example.com/?a' }],
])('%s is bad in %j', (path, bad) => {
  expect(badPaths(mailchimpConnector, bad)).toEqual([path]);
});

it.each([
  { apiKey: 'abcdef-us1', audience: 'a'.repeat(100) },
  { apiKey: `${'a'.repeat(96)}-us1`, audience: 'a' },
])('takes %j', (given) => {
  expect(checked(mailchimpConnector, given)).toEqual(given);
});
