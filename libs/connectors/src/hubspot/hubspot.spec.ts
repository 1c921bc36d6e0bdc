import fc from 'fast-check';
import { newRecord, type Value } from '@penstock/schema';
import { HttpStub } from '../http-stub.fixture';
import { aRecord } from '../outgoing-event.fixture';
import { badPaths, checked } from '../settings-table.fixture';
import { partOf, Reading, settingsOf, valueOf } from '../users/reading.fixture';
import { itKeepsThePromisesOfUserReads } from '../users/user-reads.conformance';
import { itKeepsThePromisesOfUserRequests } from '../users/user-requests.conformance';
import { itKeepsTheUserSourcePromises } from '../users/user-source.conformance';
import { asked } from '../users/vendor-source.fixture';
import { hubspotConnector } from './hubspot-connector';
import { hubspotUserDestination as destination } from './hubspot-destination';
import { hubspotUserSource as source } from './hubspot-source';
import { HubspotVendor, STANDARD, type VendorProperty } from './hubspot-vendor.fixture';

const TOKEN = 'pat-eu1-0123456789abcdef';
const settings = settingsOf(hubspotConnector);
const to = (origin: string) => settings({ accessToken: TOKEN, baseURL: `${origin}/` });
const strangers = (origin: string) => settings({ accessToken: `${TOKEN}0`, baseURL: origin });

const OWN: readonly VendorProperty[] = [
  { name: 'plan', type: 'enumeration', fieldType: 'select' },
  { name: 'colours', type: 'enumeration', fieldType: 'checkbox' },
  { name: 'seats', type: 'number' },
  { name: 'is_vip', type: 'bool' },
  { name: 'born', type: 'date' },
  { name: 'seen_at', type: 'datetime' },
  { name: 'customer_number', type: 'string', hasUniqueValue: true },
];
const LAST_YEAR = Date.UTC(2025, 0, 1);

const vendorWith = (count: number, everyMs = 1_000): HubspotVendor => {
  const vendor = new HubspotVendor(TOKEN);
  vendor.properties.push(...OWN);
  for (let n = 1; n <= count; n += 1)
    vendor.add({ email: `user-${String(n)}@example.com`, plan: 'free' }, LAST_YEAR + n * everyMs);
  return vendor;
};

describe('settings', () => {
  it.each([
    [{ accessToken: 'x' }, []],
    [{ accessToken: 'x'.repeat(255) }, []],
    [{ accessToken: 'x'.repeat(256) }, ['/accessToken']],
    [{ accessToken: '' }, ['/accessToken']],
    [{ accessToken: 'a b' }, ['/accessToken']],
    [{}, ['/accessToken']],
    [{ accessToken: 'x', baseURL: 'ftp://x' }, ['/baseURL']],
    [{ accessToken: 'x', baseUrl: 'https://x' }, ['/baseUrl']],
  ])('%j: wrong are %j', (plain, paths) => {
    expect(badPaths(hubspotConnector, plain)).toEqual(paths);
  });

  it('go to HubSpot without a base URL', () => {
    expect(checked(hubspotConnector, { accessToken: 'x' })).toEqual({ accessToken: 'x' });
  });
});

describe('the contacts', () => {
  let stub: HttpStub;

  beforeAll(async () => {
    stub = await HttpStub.start();
    stub.always(vendorWith(250).answer);
  });
  afterAll(() => stub.close());

  itKeepsTheUserSourcePromises({ source, settings: () => to(stub.origin), count: 250 });
});

describe.each([
  ['all contacts', null],
  ['changed contacts', '2025-01-01T00:00:00Z'],
])('a read of %s', (_, changedSince) =>
  itKeepsThePromisesOfUserReads({
    settings: to,
    secrets: [TOKEN],
    strangers,
    vendor: () => vendorWith(3).answer,
    read: (given, context) =>
      source.read(
        { schema: { kind: 'object', properties: [] }, changedSince, cursor: '' },
        given,
        context,
      ),
  }),
);

describe('a read of the schema', () =>
  itKeepsThePromisesOfUserReads({
    settings: to,
    secrets: [TOKEN],
    strangers,
    vendor: () => vendorWith(0).answer,
    read: (given, context) => source.schema(given, context),
  }));

describe.each(['Source', 'Destination'] as const)('a question about the settings of a %s', (role) =>
  itKeepsThePromisesOfUserReads({
    settings: to,
    secrets: [TOKEN],
    strangers,
    vendor: () => vendorWith(0).answer,
    read: (given, context) => asked(hubspotConnector, given, role, context),
  }),
);

describe('a look-up', () =>
  itKeepsThePromisesOfUserReads({
    settings: to,
    secrets: [TOKEN],
    strangers,
    vendor: () => vendorWith(3).answer,
    read: (given, context) =>
      destination.lookUp?.find('email', ['user-1@example.com'], given, context) ??
      Promise.reject(new Error('no look-up')),
  }));

const TEXT = (name: string, type: object = { kind: 'string' }) => ({
  ...{ name, type, prefilled: '', description: '' },
  ...{ createRequired: false, updateRequired: false, readOptional: false, nullable: true },
});
const WRITTEN = { kind: 'object', properties: [TEXT('email'), TEXT('firstname')] } as never;

describe('writing contacts', () =>
  itKeepsThePromisesOfUserRequests({
    destination,
    settings: to,
    secrets: [TOKEN],
    schema: WRITTEN,
    vendor: () => vendorWith(0).answer,
    user: (n, id) => ({
      id: id ?? null,
      values: aRecord({ email: `Written-${String(n)}@example.com`, firstname: `N${String(n)}` }),
      idempotencyKey: `key-${String(n)}-${id ?? 'new'}`,
    }),
    lookUp: { property: 'email', value: (n) => `Written-${String(n)}@example.com` },
  }));

describe('the schema', () => {
  let vendor: HubspotVendor;
  const reading = new Reading(source, to, () => (vendor = vendorWith(0)).answer);

  it('has the standard properties and those of the account, with their types', async () => {
    const { properties } = await reading.schema();
    const shown = properties.map(({ name, type, nullable, readOptional }) =>
      [name, type.kind, nullable && 'null', readOptional && 'optional'].filter(Boolean).join(' '),
    );
    expect(shown).toEqual([
      'email string null',
      'firstname string null',
      'lastname string null',
      'hs_object_id string',
      'lastmodifieddate datetime null',
      'hs_score float null',
      'plan string null optional',
      'colours array null optional',
      'seats float null optional',
      'is_vip boolean null optional',
      'born date null optional',
      'seen_at datetime null optional',
      'customer_number string null optional',
    ]);
  });

  it('leaves out what is hidden, archived, of an unknown type, or has no name of a property', async () => {
    vendor.properties.push(
      { name: 'secret', type: 'string', hidden: true },
      { name: 'old', type: 'string', archived: true },
      { name: 'new', type: 'hologram' },
      { name: '1st', type: 'string' },
      { name: 'constructor', type: 'constructor' },
    );
    const names = (await reading.schema()).properties.map(({ name }) => name);
    expect(names).toEqual([...STANDARD, ...OWN].map(({ name }) => name));
  });

  it('of what is written leaves out what cannot be', async () => {
    const written = valueOf(await destination.schema(reading.settings, reading.context));
    expect(written.properties.map(({ name }) => name)).toEqual([
      ...['email', 'firstname', 'lastname'],
      ...OWN.map(({ name }) => name),
    ]);
  });

  it('is read once for the same settings, and again for others', async () => {
    const same = reading.settings;
    await source.schema(same, reading.context);
    await destination.schema(same, reading.context);
    expect(vendor.paths).toHaveLength(1);
    await reading.schema();
    expect(vendor.paths).toHaveLength(2);
  });

  it('may be longer than a page of contacts may be', async () => {
    for (let n = 0; n < 6_000; n += 1)
      vendor.properties.push({
        name: `own_${String(n)}`,
        type: 'string',
        fieldType: 'x'.repeat(200),
      });
    expect((await reading.schema()).properties).toHaveLength(6_013);
  });
});

describe('reading contacts', () => {
  let vendor: HubspotVendor;
  const reading = new Reading(source, to, () => (vendor = vendorWith(0)).answer);

  it.each<[string, string, Value]>([
    ['plan', 'free', 'free'],
    ['colours', 'red;blue', ['red', 'blue']],
    ['seats', '12.50', 12.5],
    ['is_vip', 'true', true],
    ['is_vip', 'false', false],
    ['born', '1990-05-31', '1990-05-31'],
    ['born', '643852800000', '1990-05-28'],
    ['seen_at', '2025-01-02T03:04:05.678Z', '2025-01-02T03:04:05.678Z'],
    ['seen_at', '1735787045678', '2025-01-02T03:04:05.678Z'],
  ])('%s %j is %j', async (name, text, value) => {
    vendor.add({ [name]: text });
    const [user] = await reading.all({ schema: partOf(await reading.schema(), name) });
    expect(user?.values).toEqual(Object.assign(newRecord(), { [name]: value }));
    expect(user).not.toHaveProperty('fault');
  });

  it.each([
    ['seats', 'many'],
    ['seats', 'NaN'],
    ['is_vip', 'perhaps'],
    ['born', 'yesterday'],
    ['born', '999999999999999'],
    ['seen_at', '2025-13-01T00:00:00Z'],
  ])('%s %j is a fault that repeats no value', async (name, text) => {
    vendor.add({ [name]: text, email: 'a@example.com' });
    const [user] = await reading.all({ schema: partOf(await reading.schema(), 'email', name) });
    expect(user?.fault).toBe(`not of the type that the schema has: ${name}`);
    expect(user?.values).toEqual(Object.assign(newRecord(), { email: 'a@example.com' }));
  });

  it('survives a schema that changes between two pages', async () => {
    for (let n = 0; n < 250; n += 1) vendor.add({ plan: 'free', seats: '7', email: 'x' });
    const schema = partOf(await reading.schema(), 'email', 'plan', 'seats');
    let pages = 0;
    const users = await reading.all({ schema }, () => {
      pages += 1;
      if (pages !== 1) return;
      vendor.properties = vendor.properties.filter(({ name }) => name !== 'plan');
      for (const { properties } of vendor.contacts.values()) properties.set('seats', 'seven');
    });
    expect(users).toHaveLength(250);
    expect(users[0]?.values).toEqual(
      Object.assign(newRecord(), { email: 'x', plan: 'free', seats: 7 }),
    );
    expect(users[100]?.values).toEqual(Object.assign(newRecord(), { email: 'x' }));
    expect(users[100]?.fault).toBe('not of the type that the schema has: seats');
  });

  it('takes more names than a URL may hold', async () => {
    for (let n = 0; n < 220; n += 1)
      vendor.properties.push({ name: `property_number_${String(n)}`, type: 'string' });
    for (let n = 0; n < 150; n += 1) vendor.add({ property_number_219: String(n) });
    const users = await reading.all({ schema: await reading.schema() });
    expect(users.map(({ values }) => values['property_number_219'])).toEqual(
      Array.from({ length: 150 }, (_, n) => String(n)),
    );
  });

  it.each([null, '2020-01-01T00:00:00Z'])(
    'reads fewer at a time when a page is too long, since %s',
    async (changedSince) => {
      vendor.padding = 'x'.repeat(20_000);
      for (let n = 0; n < 130; n += 1) vendor.add({ email: String(n) }, LAST_YEAR + n);
      const users = await reading.all({
        schema: partOf(await reading.schema(), 'email'),
        changedSince,
      });
      const ids = new Set(users.map(({ id }) => id));
      expect(ids.size).toBe(130);
    },
  );

  it('reads nothing of a contact that is too long alone', async () => {
    vendor.padding = 'x'.repeat(1_100_000);
    vendor.add({ email: 'a' });
    expect(await reading.page({ schema: await reading.schema() })).toEqual({
      kind: 'rejected',
      reason: 'answer is longer than 1 MiB',
    });
  });

  it.each([
    ['a b', null],
    ['x'.repeat(1_001), null],
    ['x', '2025-01-01T00:00:00Z'],
    ['1.x', '2025-01-01T00:00:00Z'],
  ])('has no page %j since %s', async (cursor, changedSince) => {
    const page = await reading.page({ schema: await reading.schema(), cursor, changedSince });
    expect(page).toEqual({ kind: 'rejected', reason: 'no such page' });
  });
});

describe('reading changes', () => {
  let vendor: HubspotVendor;
  const reading = new Reading(source, to, () => (vendor = vendorWith(0)).answer);
  const since = (ms: number): string => new Date(ms).toISOString();

  const changedIds = async (fromMs: number, between?: () => void): Promise<string[]> => {
    const users = await reading.all(
      { schema: partOf(await reading.schema(), 'email'), changedSince: since(fromMs) },
      between,
    );
    return [...new Set(users.map(({ id }) => id))];
  };

  it('gives what was changed at the very time, and nothing before', async () => {
    for (let n = 0; n < 5; n += 1) vendor.add({}, LAST_YEAR + n);
    expect(await changedIds(LAST_YEAR + 2)).toEqual(['3', '4', '5']);
  });

  it('gives more of one moment than a page holds, without a place in a search', async () => {
    vendor.add({}, LAST_YEAR - 1);
    for (let n = 0; n < 1_000; n += 1) vendor.add({}, LAST_YEAR);
    const last = vendor.add({}, LAST_YEAR + 1);
    const ids = await changedIds(LAST_YEAR);
    expect(ids).toHaveLength(1_001);
    expect(ids.at(-1)).toBe(last);
  });

  it('leaves what was changed just now to the next time', async () => {
    vendor.add({}, Date.now() - 60_000);
    vendor.add({}, Date.now() - 1_000);
    expect(await changedIds(LAST_YEAR)).toEqual(['1']);
  });

  it('gives whoever was there all the time, whatever changes meanwhile', async () => {
    const moments = fc.array(fc.nat(3), { minLength: 0, maxLength: 900 });
    const changes = fc.array(fc.array(fc.nat(899), { maxLength: 20 }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(moments, changes, async (times, changed) => {
        vendor.contacts.clear();
        const ids = times.map((moment) => vendor.add({}, LAST_YEAR + moment));
        let clock = LAST_YEAR + 10;
        let round = 0;
        const found = await changedIds(LAST_YEAR, () => {
          for (const n of changed[round] ?? []) {
            const contact = vendor.contacts.get(ids[n] ?? '');
            if (contact !== undefined) contact.updatedAtMs = clock += 1;
          }
          round += 1;
        });
        expect(new Set(found)).toEqual(new Set(ids));
      }),
      { numRuns: 15 },
    );
  });
});

describe('writing', () => {
  let vendor: HubspotVendor;
  const reading = new Reading(source, to, () => (vendor = vendorWith(0)).answer);

  const upsert = async (
    ...users: readonly [id: string | null, values: Record<string, Value>][]
  ) => {
    const given = reading.settings;
    const schema = valueOf(await destination.schema(given, reading.context));
    return destination.upsert(
      {
        schema,
        users: users.map(([id, values], n) => ({
          ...{ id, values: aRecord(values), idempotencyKey: `key-${String(n)}` },
        })),
      },
      given,
      reading.context,
    );
  };

  it('gives the texts that HubSpot takes', async () => {
    await upsert([
      null,
      {
        ...{ email: 'a@example.com', colours: ['red', 'blue'], seats: 12.5, is_vip: false },
        ...{ born: '1990-05-31', seen_at: '2025-01-02T03:04:05Z', plan: 'free' },
      },
    ]);
    expect(
      [...vendor.contacts.values()].map(({ properties }) => Object.fromEntries(properties)),
    ).toEqual([
      {
        ...{ email: 'a@example.com', colours: 'red;blue', seats: '12.5', is_vip: 'false' },
        ...{ born: '1990-05-31', seen_at: '2025-01-02T03:04:05Z', plan: 'free' },
      },
    ]);
  });

  it('clears what is null and leaves what is missing', async () => {
    const id = vendor.add({ email: 'a@example.com', plan: 'free' });
    expect(await upsert([id, { plan: null }])).toEqual({
      kind: 'answered',
      outcomes: [{ kind: 'written', id }],
    });
    expect([...(vendor.contacts.get(id)?.properties ?? [])]).toEqual([['email', 'a@example.com']]);
  });

  it('tells of a batch which contacts were refused, and why', async () => {
    const taken = vendor.add({ email: 'taken@example.com' });
    const result = await upsert(
      [null, { email: 'new@example.com' }],
      [null, { email: 'TAKEN@example.com' }],
      [null, { email: 'newer@example.com' }],
    );
    expect(result).toEqual({
      kind: 'answered',
      outcomes: [
        { kind: 'written', id: '2' },
        { kind: 'rejected', reason: `CONFLICT: Contact already exists. Existing ID: ${taken}` },
        { kind: 'written', id: '3' },
      ],
    });
  });

  it('changes a contact once in a request', async () => {
    const id = vendor.add({ email: 'a@example.com' });
    const result = await upsert([id, { plan: 'one' }], [id, { plan: 'two' }]);
    expect(result).toEqual({ kind: 'answered', outcomes: [{ kind: 'written', id }] });
  });

  it('fails whole when the answer does not tell of every contact', async () => {
    const given = reading.settings;
    const schema = valueOf(await destination.schema(given, reading.context));
    reading.vendorStub.next((response) =>
      response.end('{"results":[{"id":"1","objectWriteTraceId":"key-0"}]}'),
    );
    const users = [0, 1].map((n) => ({
      ...{ id: null, values: aRecord({ email: String(n) }), idempotencyKey: `key-${String(n)}` },
    }));
    expect(await destination.upsert({ schema, users }, given, reading.context)).toEqual({
      kind: 'unavailable',
      reason: 'answer is not as documented',
      status: 200,
      taken: 2,
      executed: 'yes',
    });
  });
});

describe('looking up', () => {
  let vendor: HubspotVendor;
  const reading = new Reading(source, to, () => (vendor = vendorWith(0)).answer);

  const find = async (property: string, ...values: readonly string[]) =>
    valueOf(
      (await destination.lookUp?.find(property, values, reading.settings, reading.context)) ?? {
        kind: 'rejected',
        reason: 'no look-up',
      },
    );

  it('goes by the id, the email and unique properties of the account', async () => {
    const properties = await destination.lookUp?.properties(reading.settings, reading.context);
    expect(properties).toEqual({
      kind: 'answered',
      value: ['email', 'hs_object_id', 'customer_number'],
    });
    const id = vendor.add({ email: 'a@example.com', customer_number: 'C-7' });
    expect(await find('email', 'A@Example.com', 'b@example.com')).toEqual([
      { id, value: 'A@Example.com' },
    ]);
    expect(await find('hs_object_id', id, 'x', '99')).toEqual([{ id, value: id }]);
    expect(await find('customer_number', 'C-7', 'C-8')).toEqual([{ id, value: 'C-7' }]);
  });

  it('asks nothing when no value can be one', async () => {
    expect(await find('hs_object_id', 'x')).toEqual([]);
    expect(await find('email', '', ' ')).toEqual([]);
    expect(vendor.paths).toEqual([]);
  });
});
