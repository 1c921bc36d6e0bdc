import { newRecord, type Schema, type Value } from '@penstock/schema';
import { answer, HttpStub } from '../http-stub.fixture';
import { aRecord } from '../outgoing-event.fixture';
import { badPaths, checked } from '../settings-table.fixture';
import { partOf, Reading, settingsOf, valueOf } from '../users/reading.fixture';
import { itKeepsThePromisesOfUserReads } from '../users/user-reads.conformance';
import { itKeepsThePromisesOfUserRequests } from '../users/user-requests.conformance';
import { itKeepsTheUserSourcePromises } from '../users/user-source.conformance';
import { asked } from '../users/vendor-source.fixture';
import { stripeConnector } from './stripe-connector';
import { stripeUserDestination as destination } from './stripe-destination';
import { STRIPE_CUSTOMER, STRIPE_CUSTOMER_TO_WRITE } from './stripe-schemas';
import { stripeUserSource as source } from './stripe-source';
import { StripeVendor } from './stripe-vendor.fixture';

const KEY = 'rk_live_0123456789abcdef';
const settings = settingsOf(stripeConnector);
const to = (origin: string) => settings({ apiKey: KEY, baseURL: origin });
const strangers = (origin: string) => settings({ apiKey: `${KEY}0`, baseURL: origin });

const vendorWith = (count: number, clock?: () => number): StripeVendor => {
  const vendor = new StripeVendor(KEY, clock);
  for (let n = 1; n <= count; n += 1) vendor.add({ email: `user-${String(n)}@example.com` });
  return vendor;
};

describe('settings', () => {
  it.each([
    [{ apiKey: 'x' }, []],
    [{ apiKey: 'x'.repeat(200) }, []],
    [{ apiKey: 'x'.repeat(201) }, ['/apiKey']],
    [{ apiKey: '' }, ['/apiKey']],
    [{}, ['/apiKey']],
    [{ apiKey: 'x', baseURL: 'https://u:p@x' }, ['/baseURL']],
    [{ apiKey: 'x', version: '1' }, ['/version']],
  ])('%j: wrong are %j', (plain, paths) => {
    expect(badPaths(stripeConnector, plain)).toEqual(paths);
  });

  it('go to Stripe without a base URL', () => {
    expect(checked(stripeConnector, { apiKey: 'x' })).toEqual({ apiKey: 'x' });
  });
});

describe('the customers', () => {
  let stub: HttpStub;
  beforeAll(async () => {
    stub = await HttpStub.start();
    stub.always(vendorWith(250).answer);
  });
  afterAll(() => stub.close());

  itKeepsTheUserSourcePromises({ source, settings: () => to(stub.origin), count: 250 });
});

describe('a read of customers', () =>
  itKeepsThePromisesOfUserReads({
    settings: to,
    secrets: [KEY],
    strangers,
    vendor: () => vendorWith(3).answer,
    read: (given, context) =>
      source.read({ schema: STRIPE_CUSTOMER, changedSince: null, cursor: '' }, given, context),
  }));

describe.each(['Source', 'Destination'] as const)('a question about the settings of a %s', (role) =>
  itKeepsThePromisesOfUserReads({
    settings: to,
    secrets: [KEY],
    strangers,
    vendor: () => vendorWith(0).answer,
    read: (given, context) => asked(stripeConnector, given, role, context),
  }),
);

describe('a look-up', () =>
  itKeepsThePromisesOfUserReads({
    settings: to,
    secrets: [KEY],
    strangers,
    vendor: () => vendorWith(3).answer,
    read: (given, context) =>
      destination.lookUp?.find('email', ['user-1@example.com'], given, context) ??
      Promise.reject(new Error('no look-up')),
  }));

describe('writing customers', () =>
  itKeepsThePromisesOfUserRequests({
    destination,
    settings: to,
    secrets: [KEY],
    schema: partOf(STRIPE_CUSTOMER_TO_WRITE, 'email', 'name'),
    vendor: () => vendorWith(0).answer,
    user: (n, id) => ({
      id: id ?? null,
      values: aRecord({ email: `written-${String(n)}@example.com`, name: `N ${String(n)}` }),
      idempotencyKey: `key-${String(n)}-${id ?? 'new'}`,
    }),
    lookUp: { property: 'email', value: (n) => `written-${String(n)}@example.com` },
  }));

describe('reading customers', () => {
  let vendor: StripeVendor;
  let seconds: number;
  const reading = new Reading(source, to, () => {
    seconds = 1_700_000_000;
    vendor = vendorWith(0, () => (seconds += 1));
    return vendor.answer;
  });

  it('gives what Stripe gives, by the schema', async () => {
    const id = vendor.add({
      ...{ email: 'a@example.com', 'address[city]': 'Rome', 'metadata[crm id]': '7' },
      'preferred_locales[0]': 'it',
    });
    const [user] = await reading.all({ schema: await reading.schema() });
    expect(user).toEqual({
      id,
      updatedAt: null,
      values: expect.objectContaining({
        ...{ id, email: 'a@example.com', name: null, created: '2023-11-14T22:13:21Z' },
        ...{ balance: 0n, delinquent: false, livemode: false, currency: null, shipping: null },
        metadata: new Map([['crm id', '7']]),
        preferred_locales: ['it'],
      }) as unknown,
    });
    expect(user?.values['address']).toEqual(
      Object.assign(newRecord(), {
        ...{ city: 'Rome', country: null, line1: null, line2: null },
        ...{ postal_code: null, state: null },
      }),
    );
  });

  it('survives members that change their types between two pages', async () => {
    for (let n = 0; n < 150; n += 1) vendor.add({ email: 'x@example.com' });
    const schema = partOf(STRIPE_CUSTOMER, 'email', 'balance', 'address');
    const users = await reading.all({ schema }, () => {
      vendor.more = { balance: 'nought', address: { city: 7 }, new_member: {} };
    });
    expect(users[0]).not.toHaveProperty('fault');
    expect(users[149]?.fault).toBe('not of the type that the schema has: address, balance');
    expect(users[149]?.values).toEqual(Object.assign(newRecord(), { email: 'x@example.com' }));
  });

  it('goes on although the last customer of a page was deleted', async () => {
    const ids = Array.from({ length: 250 }, () => vendor.add({})).reverse();
    let deleted: string | undefined;
    const users = await reading.all({ schema: partOf(STRIPE_CUSTOMER, 'id') }, () => {
      deleted ??= ids[99];
      if (deleted === ids[99]) vendor.delete(deleted ?? '');
      deleted = '';
    });
    expect(new Set(users.map(({ id }) => id))).toEqual(new Set(ids));
  });

  it('reads fewer at a time when a page is too long', async () => {
    vendor.more = { padding: 'x'.repeat(20_000) };
    for (let n = 0; n < 130; n += 1) vendor.add({});
    expect(await reading.all({ schema: partOf(STRIPE_CUSTOMER, 'id') })).toHaveLength(130);
  });

  it.each(['x', 'cus_1', 'cus_1.x', `${'c'.repeat(256)}.1`, 'cus_1.1&limit=1'])(
    'has no page %j',
    async (cursor) => {
      expect(await reading.page({ schema: STRIPE_CUSTOMER, cursor })).toEqual({
        kind: 'rejected',
        reason: 'no such page',
      });
      expect(reading.vendorStub.requests).toHaveLength(0);
    },
  );
});

describe('writing', () => {
  let vendor: StripeVendor;
  const reading = new Reading(source, to, () => (vendor = vendorWith(0)).answer);

  const upsert = (id: string | null, values: Record<string, Value>, schema?: Schema) =>
    destination.upsert(
      {
        schema: schema ?? STRIPE_CUSTOMER_TO_WRITE,
        users: [{ id, values: aRecord(values), idempotencyKey: 'key-1' }],
      },
      reading.settings,
      reading.context,
    );

  it('sends a form', async () => {
    await upsert(null, {
      email: 'a+b@example.com',
      address: aRecord({ city: 'Rome', line2: null }),
      shipping: aRecord({ name: 'N', address: aRecord({ country: 'IT' }) }),
      metadata: new Map([['crm id', '7 & 8']]),
      preferred_locales: ['it', 'en'],
      tax_exempt: 'none',
    });
    const [request] = reading.vendorStub.requests;
    expect(request?.headers).toMatchObject({
      'content-type': 'application/x-www-form-urlencoded',
      'stripe-version': '2025-09-30.clover',
      'idempotency-key': 'key-1',
    });
    expect([...new URLSearchParams(request?.body)]).toEqual([
      ['email', 'a+b@example.com'],
      ['address[city]', 'Rome'],
      ['address[line2]', ''],
      ['shipping[address][country]', 'IT'],
      ['shipping[name]', 'N'],
      ['metadata[crm id]', '7 & 8'],
      ['preferred_locales[0]', 'it'],
      ['preferred_locales[1]', 'en'],
      ['tax_exempt', 'none'],
    ]);
  });

  it('clears what is null and leaves what is missing', async () => {
    const id = vendor.add({ email: 'a@example.com', name: 'N' });
    expect(await upsert(id, { name: null, preferred_locales: [] })).toEqual({
      kind: 'answered',
      outcomes: [{ kind: 'written', id }],
    });
    expect([...(vendor.customers[0]?.given ?? [])]).toEqual([['email', 'a@example.com']]);
  });

  it.each<[string, Record<string, Value>, string]>([
    [
      'what Stripe refuses',
      { email: 'nobody' },
      'answered 400: email_invalid: Invalid email address: nobody',
    ],
    [
      'metadata that has no name',
      { metadata: new Map([['a[b]', '']]) },
      'answered 400: parameter_unknown: Received unknown parameter: metadata[a[b]]',
    ],
  ])('rejects %s', async (_, values, reason) => {
    expect(await upsert(null, values)).toEqual({
      kind: 'answered',
      outcomes: [{ kind: 'rejected', reason, status: 400 }],
    });
    expect(vendor.customers).toEqual([]);
  });

  it('is in doubt while a request with its key is under way', async () => {
    reading.vendorStub.next(answer(409, '{"error":{"code":"idempotency_key_in_use"}}'));
    expect(await upsert(null, { name: 'N' })).toMatchObject({
      ...{ kind: 'unavailable', executed: 'unknown', status: 409, taken: 1 },
    });
  });

  it('creates a customer once, though the first answer was lost', async () => {
    reading.vendorStub.next((response, request) => {
      const nobody = { writeHead: () => ({ end: () => undefined }) } as unknown as typeof response;
      vendor.answer(nobody, request);
      response.socket?.destroy();
    });
    expect(await upsert(null, { name: 'N' })).toMatchObject({ executed: 'unknown' });
    expect(await upsert(null, { name: 'N' })).toMatchObject({ kind: 'answered' });
    expect(vendor.customers).toHaveLength(1);
  });

  it('writes ids of any form as part of the path', async () => {
    await upsert('../charges?x=1', { name: 'N' });
    expect(reading.vendorStub.requests[0]?.url).toBe('/v1/customers/..%2Fcharges%3Fx%3D1');
  });
});

describe('looking up', () => {
  let vendor: StripeVendor;
  const reading = new Reading(source, to, () => (vendor = vendorWith(0)).answer);

  it('finds every customer with an email, on all pages', async () => {
    for (let n = 0; n < 230; n += 1) vendor.add({ email: 'same@example.com' });
    vendor.add({ email: 'Same@example.com' });
    const found = await destination.lookUp?.find(
      'email',
      ['same@example.com'],
      reading.settings,
      reading.context,
    );
    expect(found === undefined ? [] : valueOf(found)).toHaveLength(230);
  });
});
