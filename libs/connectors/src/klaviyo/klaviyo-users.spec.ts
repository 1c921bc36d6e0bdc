import { compileCodec } from '@penstock/schema';
import { aContext } from '../outgoing-event.fixture';
import { createGuardedHttp } from '../egress/undici-guarded-http';
import { outcomesOf } from '../users/user-destination.conformance';
import { itKeepsThePromisesOfUserReads } from '../users/user-reads.conformance';
import { itKeepsThePromisesOfUserRequests } from '../users/user-requests.conformance';
import { itKeepsTheUserSourcePromises } from '../users/user-source.conformance';
import { answer } from '../http-stub.fixture';
import { asked, aUser, VendorSource } from '../users/vendor-source.fixture';
import { klaviyoConnector } from './klaviyo-connector';
import { klaviyoLookUp } from './klaviyo-look-up';
import { klaviyoUserDestination } from './klaviyo-profiles';
import { aKlaviyoProfile, KlaviyoProfilesVendor } from './klaviyo-profiles-vendor.fixture';

const KEY = `pk_${'0123456789abcdef'.repeat(3)}`;

const profiles = (count: number) => Array.from({ length: count }, (_, n) => aKlaviyoProfile(n + 1));

let vendor: KlaviyoProfilesVendor;
const users = new VendorSource(
  klaviyoConnector,
  (origin) => ({ privateAPIKey: KEY, baseURL: origin }),
  () => (vendor = new KlaviyoProfilesVendor(KEY, profiles(250))).answer,
);
const { source } = users;

describe('the profiles', () =>
  itKeepsTheUserSourcePromises({ source, settings: () => users.settings(), count: 250 }));

describe.each(['page', 'look-up'])('of Klaviyo, a %s', (what) =>
  itKeepsThePromisesOfUserReads({
    settings: (origin) => users.settings({ baseURL: origin }),
    secrets: [KEY],
    strangers: (origin) => users.settings({ privateAPIKey: `${KEY}0`, baseURL: origin }),
    vendor: () => new KlaviyoProfilesVendor(KEY, profiles(3)).answer,
    read: (settings, context) =>
      what === 'page'
        ? source.read(
            { schema: users.schemaOf('email'), changedSince: null, cursor: '' },
            settings,
            context,
          )
        : klaviyoLookUp.find('email', ['user-1@example.com'], settings, context),
  }),
);

describe('a question about the settings of a source', () =>
  itKeepsThePromisesOfUserReads({
    settings: (origin) => users.settings({ baseURL: origin }),
    secrets: [KEY],
    strangers: (origin) => users.settings({ privateAPIKey: `${KEY}0`, baseURL: origin }),
    vendor: () => new KlaviyoProfilesVendor(KEY).answer,
    read: (settings, context) => asked(klaviyoConnector, settings, 'Source', context),
  }));

it.each([
  [401, 'unavailable', 'unavailable'],
  [403, 'unavailable', 'answered'],
  [429, 'unavailable', 'unavailable'],
])('a key that is answered %d is %s for a source, %s for a destination', async (status, of, to) => {
  for (const [role, kind] of [
    ['Source', of],
    ['Destination', to],
  ] as const) {
    users.stub.next(answer(status));
    const asking = asked(klaviyoConnector, users.settings(), role, users.context);
    expect(await asking).toMatchObject({ kind });
  }
});

describe('profiles that are written', () =>
  itKeepsThePromisesOfUserRequests({
    destination: klaviyoUserDestination,
    settings: (origin) => users.settings({ baseURL: origin }),
    secrets: [KEY],
    vendor: () => new KlaviyoProfilesVendor(KEY).answer,
    schema: users.schemaOf('email', 'first_name'),
    user: (n, id) => aUser({ email: `new-${String(n)}@example.com`, first_name: 'Ada' }, id, n),
    lookUp: { property: 'email', value: (n) => `new-${String(n)}@example.com` },
  }));

it('has a schema of what may be written', async () => {
  const properties = await users.written();
  expect(properties['properties']).toMatchObject({ type: { kind: 'map' } });
  expect(properties['email']).toMatchObject({ createRequired: false, nullable: true });
  for (const name of ['id', 'created', 'updated']) expect(properties).not.toHaveProperty(name);
});

it('gives profiles with the values that they have', async () => {
  const schema = await users.schema();
  const [first] = (await users.read({ schema })).users;
  expect(JSON.parse(first ? compileCodec(schema).encode(first.values) : '')).toMatchObject({
    email: 'user-1@example.com',
    phone_number: '+15550000001',
    last_name: null,
    location: { address1: null, city: 'Rome', latitude: 41.9, longitude: 12.5 },
    properties: { plan: 'free', visits: 1 },
    updated: '2026-01-01T00:01:00Z',
    last_event_date: null,
  });
  expect(first?.updatedAt).toBe('2026-01-01T00:01:00Z');
});

it('asks for what is wanted, sorted by the last change', async () => {
  await users.read({
    schema: users.schemaOf('id', 'email'),
    changedSince: '2026-01-01T00:10:00.5Z',
  });
  const { searchParams } = new URL(users.stub.requests.at(-1)?.url ?? '', 'https://example.com');
  expect(Object.fromEntries(searchParams)).toEqual({
    'fields[profile]': 'updated,email',
    'page[size]': '100',
    sort: 'updated',
    filter: 'greater-than(updated,2026-01-01T00:09:59Z)',
  });
});

it('reads who is left when profiles go or change between two pages', async () => {
  const first = await users.read();
  vendor.profiles.splice(120, 10);
  vendor.profiles.splice(
    0,
    3,
    ...[1, 2, 3].map((n) => aKlaviyoProfile(n, { updated: '2026-06-01T00:00:00+00:00' })),
  );
  const seen = [...first.users, ...(await users.rest(first.next))].map(({ id }) => id);
  expect(new Set(seen).size).toBe(240);
  expect(seen).toHaveLength(243);
});

it('reads on when a property is of another type from one page to the next', async () => {
  const first = await users.read();
  for (const { attributes } of vendor.profiles)
    attributes['properties'] = { plan: ['a', { b: 1.5 }] };
  const rest = await users.rest(first.next);
  expect(rest).toHaveLength(150);
  expect(rest.every(({ fault }) => fault === undefined)).toBe(true);
});

it('asks for smaller pages when they would be cut', async () => {
  for (const { attributes } of vendor.profiles) attributes['title'] = 'x'.repeat(15_000);
  const page = await users.read({ schema: users.schemaOf('title') });
  expect(page.users).toHaveLength(50);
  expect(await users.rest(page.next, { schema: users.schemaOf('title') })).toHaveLength(200);
});

it('has no page of a cursor that is too long, or that the vendor does not know', async () => {
  const http = createGuardedHttp({ allow: ['127.0.0.0/8'] });
  const query = { schema: users.schemaOf('email'), changedSince: null };
  const read = (cursor: string) =>
    source.read({ ...query, cursor }, users.settings(), aContext(http));
  expect(await read('c'.repeat(2_049))).toEqual({ kind: 'rejected', reason: 'no such page' });
  users.stub.next((response) => response.writeHead(400).end('{"errors":[]}'));
  expect(await read('c'.repeat(2_048))).toMatchObject({ kind: 'rejected', status: 400 });
  await http.close();
});

it('keeps below the rates of profiles', () => {
  const { ratePerSecond = 0, burst = 0 } = source.limits(users.settings(), false);
  expect(burst).toBeLessThanOrEqual(75 * 0.8);
  expect(60 * ratePerSecond + burst).toBeLessThanOrEqual(700 * 0.8);
});

describe('what is written', () => {
  const write = async (values: Record<string, string | null>, id?: string) => {
    const http = createGuardedHttp({ allow: ['127.0.0.0/8'] });
    const schema = users.schemaOf(...Object.keys(values));
    const batch = { schema, users: [aUser(values, id)] };
    const result = await klaviyoUserDestination.upsert(batch, users.settings(), aContext(http));
    await http.close();
    return outcomesOf(result)[0];
  };

  it('takes a value away by null, and leaves out what a new profile does not have', async () => {
    const { id } = aKlaviyoProfile(1);
    expect(await write({ first_name: null }, id)).toEqual({ kind: 'written', id });
    expect(vendor.profiles[0]?.attributes).toMatchObject({ first_name: null, locale: 'en-US' });
    await write({ email: 'new@example.com', first_name: null });
    expect(JSON.parse(users.stub.requests.at(-1)?.body ?? '')).toEqual({
      data: { type: 'profile', attributes: { email: 'new@example.com' } },
    });
  });

  it('is rejected by the vendor when another profile has the identifier', async () => {
    expect(await write({ email: 'user-1@example.com' })).toMatchObject({
      kind: 'rejected',
      reason: expect.stringContaining('already exists') as string,
    });
    expect(vendor.profiles).toHaveLength(250);
  });

  it('is not sent without an identifier', async () => {
    const rejected = {
      kind: 'rejected',
      reason: 'one of email, phone_number, external_id is needed',
    };
    expect(await write({ first_name: 'Ada' })).toEqual(rejected);
    expect(await write({ email: '', first_name: 'Ada' })).toEqual(rejected);
    expect(users.stub.requests).toEqual([]);
  });

  it('cannot lead a request elsewhere by an id', async () => {
    expect(await write({ first_name: 'Ada' }, '../events')).toMatchObject({ kind: 'rejected' });
    expect(users.stub.requests.map(({ url }) => url)).toEqual(['/api/profiles/..%2Fevents']);
  });
});
