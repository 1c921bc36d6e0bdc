import { createHash } from 'node:crypto';
import { compileCodec } from '@penstock/schema';
import type { OutgoingUser, UpsertResult } from '../connector/user-destination';
import { createGuardedHttp } from '../egress/undici-guarded-http';
import { answer } from '../http-stub.fixture';
import { aContext } from '../outgoing-event.fixture';
import { badPaths, checked } from '../settings-table.fixture';
import { asked, aUser, VendorSource } from '../users/vendor-source.fixture';
import { itKeepsThePromisesOfUserRequests } from '../users/user-requests.conformance';
import { itKeepsTheUserSourcePromises } from '../users/user-source.conformance';
import { itKeepsThePromisesOfUserReads } from '../users/user-reads.conformance';
import { mailchimpConnector } from './mailchimp-connector';
import { mailchimpUserDestination } from './mailchimp-destination';
import { aMailchimpMember, MailchimpVendor } from './mailchimp-vendor.fixture';

const KEY = '0123456789abcdef0123456789abcdef-us21';
const LOGIN = Buffer.from(`penstock:${KEY}`).toString('base64');
const AUDIENCE = 'a1b2c3';

const members = (count: number) => Array.from({ length: count }, (_, n) => aMailchimpMember(n + 1));

const aMember = (
  n: number,
  changes: Record<string, string | null> = {},
  id?: string,
): OutgoingUser =>
  aUser(
    {
      ...{ email_address: `new-${String(n)}@example.com`, status: 'subscribed', FNAME: 'Ada' },
      ...changes,
    },
    id,
    n,
  );

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

describe.each(['Source', 'Destination'] as const)('a question about the settings of a %s', (role) =>
  itKeepsThePromisesOfUserReads({
    settings: (origin) => users.settings({ baseURL: origin }),
    secrets: [KEY, LOGIN],
    strangers: (origin) => users.settings({ apiKey: `0${KEY}`, baseURL: origin }),
    vendor: () => new MailchimpVendor(KEY, AUDIENCE).answer,
    read: (given, context) => asked(mailchimpConnector, given, role, context),
  }),
);

it('are refused for an audience that is not in the account', async () => {
  const settings = users.settings({ audience: 'other' });
  expect(await asked(mailchimpConnector, settings, 'Source', users.context)).toMatchObject({
    kind: 'rejected',
    status: 404,
  });
});

describe('members that are written', () =>
  itKeepsThePromisesOfUserRequests({
    destination: mailchimpUserDestination,
    settings: (origin) => users.settings({ baseURL: origin }),
    secrets: [KEY, LOGIN],
    vendor: () => new MailchimpVendor(KEY, AUDIENCE).answer,
    schema: users.schemaOf('email_address', 'status', 'FNAME'),
    user: (n, id) => aMember(n, {}, id),
  }));

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

it('has a schema of what may be written: an address and a status of new members, and no null but in own fields', async () => {
  const properties = await users.written();
  expect(properties['email_address']).toMatchObject({ createRequired: true, updateRequired: true });
  expect(properties['status']).toMatchObject({
    createRequired: true,
    updateRequired: false,
    type: { values: expect.arrayContaining(['subscribed', 'pending']) as unknown },
  });
  expect(properties['PLAN']).toMatchObject({
    type: { values: ['Gold', 'Silver'] },
    nullable: true,
  });
  const nullable = Object.values(properties).filter((property) => property?.nullable);
  expect(nullable.map((property) => property?.name)).toEqual([
    'FNAME',
    'AGE',
    'BORN',
    'ADDRESS',
    'PLAN',
  ]);
  for (const name of ['id', 'last_changed', 'tags']) expect(properties).not.toHaveProperty(name);
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

describe('what is written', () => {
  const schema = users.schemaOf('email_address', 'status', 'FNAME');

  const upsert = async (...given: readonly OutgoingUser[]): Promise<UpsertResult> => {
    const http = createGuardedHttp({ allow: ['127.0.0.0/8'] });
    const settings = users.settings();
    const result = mailchimpUserDestination.upsert(
      { schema, users: given },
      settings,
      aContext(http),
    );
    return result.finally(() => http.close());
  };

  const hash = (email: string): string => createHash('md5').update(email).digest('hex');
  const sent = (): unknown[] => users.stub.requests.map(({ method, url }) => `${method} ${url}`);
  const LIST = `/3.0/lists/${AUDIENCE}`;

  it('is up to 150 members a request', async () => {
    const many = Array.from({ length: 501 }, (_, n) => aMember(n));
    const result = await upsert(...many);
    expect(result).toMatchObject({ kind: 'answered' });
    if (result.kind === 'answered') expect(result.outcomes).toHaveLength(150);
    expect(vendor.members).toHaveLength(1_353);
    expect(sent()).toEqual([`POST ${LIST}`]);
  });

  it('has an error for each member that the vendor does not take', async () => {
    const given = [aMember(1), aMember(2, { email_address: 'nobody' }), aMember(3)];
    expect(await upsert(...given)).toMatchObject({
      kind: 'answered',
      outcomes: [
        { kind: 'written', id: hash('new-1@example.com') },
        { kind: 'rejected', reason: 'Please provide a valid email address.' },
        { kind: 'written', id: hash('new-3@example.com') },
      ],
    });
  });

  it('changes who is there, so that a request may be repeated', async () => {
    await upsert(aMember(1));
    const id = hash('new-1@example.com');
    const changed = aMember(1, { email_address: 'New-1@Example.com', FNAME: null }, id);
    expect(await upsert(aMember(1))).toMatchObject({ outcomes: [{ kind: 'written', id }] });
    expect(await upsert(changed)).toMatchObject({ outcomes: [{ kind: 'written', id }] });
    expect(vendor.members).toHaveLength(1_204);
    expect(vendor.members.at(-1)).toMatchObject({ merge_fields: { FNAME: '' } });
    expect(sent()).toEqual(Array(3).fill(`POST ${LIST}`));
  });

  it('changes an address with a request of its own', async () => {
    const id = aMailchimpMember(1)['id'] as string;
    const moved = aMember(7, {}, id);
    const result = await upsert(moved, aMember(8));
    expect(result).toEqual({
      kind: 'answered',
      outcomes: [{ kind: 'written', id: hash('new-7@example.com') }],
    });
    expect(sent()).toEqual([`PATCH ${LIST}/members/${id}`]);
  });

  it('takes no member twice in a request, and none without an address', async () => {
    const twice = await upsert(aMember(1), aMember(2), aMember(1, { FNAME: 'Eve' }));
    expect(twice).toMatchObject({ outcomes: [{ kind: 'written' }, { kind: 'written' }] });
    expect(await upsert(aMember(3, { email_address: null }))).toEqual({
      kind: 'answered',
      outcomes: [{ kind: 'rejected', reason: 'email_address is needed' }],
    });
  });

  it('is in doubt when the answer leaves out a member', async () => {
    users.stub.next(answer(200, '{"new_members":[],"updated_members":[],"errors":[]}'));
    expect(await upsert(aMember(1))).toMatchObject({ kind: 'unavailable', executed: 'yes' });
  });
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
