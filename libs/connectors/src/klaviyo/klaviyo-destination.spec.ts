import { EventRefused } from '../connector/event-destination';
import { itKeepsTheDestinationPromises } from '../event-destination.conformance';
import { answer } from '../http-stub.fixture';
import { Sending } from '../sending.fixture';
import { badPaths, checked } from '../settings-table.fixture';
import { vendorTests } from '../vendor-tests.fixture';
import { klaviyoConnector } from './klaviyo-connector';
import { KlaviyoVendor } from './klaviyo-vendor.fixture';

const KEY = `pk_${'0123456789abcdef'.repeat(3)}`;
const { destination, event, settings } = vendorTests(klaviyoConnector);
const to = (origin: string) => settings({ privateAPIKey: KEY, baseURL: origin });

describe.each(['create_event', 'update_profile'])('Klaviyo, %s', (eventType) =>
  itKeepsTheDestinationPromises({
    destination,
    settings: to,
    secrets: [KEY],
    event: (n) => event(eventType, {}, n),
    vendor: () => new KlaviyoVendor(KEY).answer,
    strangers: (origin) => settings({ privateAPIKey: `${KEY}0`, baseURL: origin }),
  }),
);

describe('what Klaviyo is sent', () => {
  let vendor: KlaviyoVendor;
  const sending = new Sending(destination, to, () => (vendor = new KlaviyoVendor(KEY)).answer);

  it('is an event of a metric and a profile', async () => {
    const outgoing = event('create_event', {
      mapping: { value: 'properties.total', value_currency: '"EUR"' },
    });
    expect(await sending.send(outgoing)).toMatchObject([{ kind: 'delivered' }]);
    expect(sending.bodies).toEqual([
      {
        data: {
          type: 'event',
          attributes: {
            metric: { data: { type: 'metric', attributes: { name: 'Order_Completed' } } },
            profile: {
              data: {
                type: 'profile',
                attributes: { email: 'ada@example.com', external_id: 'user-1' },
              },
            },
            properties: { order_id: 'o-1', total: 12.5, paid: true },
            time: outgoing.event['timestamp'],
            value: 12.5,
            value_currency: 'EUR',
            unique_id: outgoing.idempotencyKey,
          },
        },
      },
    ]);
    expect(sending.vendorStub.requests[0]?.headers).toMatchObject({ revision: '2026-07-15' });
  });

  it('has properties, be there none', async () => {
    await sending.send(event('create_event', { event: { properties: undefined } }));
    expect([...vendor.events.values()][0]?.['properties']).toEqual({});
  });

  it('is a profile', async () => {
    const outgoing = event('update_profile', {
      event: { userId: undefined },
      mapping: { first_name: '"Ada"', last_name: '"Lovelace"', 'profile.phone_number': '"+3906"' },
    });
    expect(await sending.send(outgoing)).toMatchObject([{ kind: 'delivered' }]);
    expect(vendor.profiles).toEqual([
      {
        email: 'ada@example.com',
        phone_number: '+3906',
        first_name: 'Ada',
        last_name: 'Lovelace',
        properties: { email: 'ada@example.com', plan: 'free' },
      },
    ]);
  });

  it('is one event a request, and taken once when it is sent again', async () => {
    const outgoing = event('create_event');
    expect(await sending.send(outgoing, event('create_event', {}, 2))).toHaveLength(1);
    await sending.send(outgoing);
    expect(vendor.events.size).toBe(1);
  });

  it('is rejected with the reason from Klaviyo', async () => {
    const long = event('create_event', { event: { event: 'e'.repeat(128) } });
    expect(await sending.send(long)).toEqual([
      {
        kind: 'rejected',
        status: 400,
        reason: expect.stringContaining('metric name is required') as string,
      },
    ]);
  });

  it('waits for the Retry-After of Klaviyo', async () => {
    sending.vendorStub.next(answer(429, '', { 'Retry-After': '12' }));
    expect(await sending.send(event('create_event'))).toMatchObject([
      { kind: 'unavailable', status: 429, retryAfterMs: 12_000 },
    ]);
  });
});

const NOBODY = { userId: undefined, traits: {} };
const NEEDED = 'one of email, phone_number, external_id is needed in profile';

it.each<[string, string, object]>([
  [NEEDED, 'create_event', { event: NOBODY }],
  [NEEDED, 'create_event', { event: { ...NOBODY, traits: { email: '' } } }],
  [NEEDED, 'update_profile', { event: NOBODY }],
  ['properties must be a JSON object', 'create_event', { event: { properties: 'text' } }],
])('refuses with %j: %s %j', (message, eventType, more) => {
  const refused = event(eventType, more);
  expect(() => destination.preview(refused, to('https://example.com'))).toThrow(
    new EventRefused(message),
  );
});

it.each([
  ['create_event', 'https://a.klaviyo.com/api/events'],
  ['update_profile', 'https://a.klaviyo.com/api/profile-import'],
])('sends %s to %s', (eventType, url) => {
  const preview = destination.preview(event(eventType), settings({ privateAPIKey: KEY }));
  expect(preview.split('\n')[0]).toBe(`POST ${url}`);
  expect(preview).toContain('Authorization: Klaviyo-API-Key ••••cdef');
});

it('keeps below the rates of events', () => {
  const { ratePerSecond = 0, burst = 0 } = destination.limits(settings({ privateAPIKey: KEY }));
  expect(ratePerSecond).toBeLessThanOrEqual((3_500 / 60) * 0.8);
  expect(burst).toBeLessThanOrEqual(350 * 0.8);
});

it.each<[string, object]>([
  ['/privateAPIKey', {}],
  ['/privateAPIKey', { privateAPIKey: `pk_${'a'.repeat(33)}` }],
  ['/privateAPIKey', { privateAPIKey: `pk-${'a'.repeat(40)}` }],
  ['/privateAPIKey', { privateAPIKey: `pk_${'a'.repeat(40)} ` }],
  ['/privateAPIKey', { privateAPIKey: `pk_${'a'.repeat(253)}` }],
])('%s is bad in %j', (path, bad) => {
  expect(badPaths(klaviyoConnector, bad)).toEqual([path]);
});

it.each([34, 252])('takes a key of %d characters after pk_', (length) => {
  const given = { privateAPIKey: `pk_${'a'.repeat(length)}` };
  expect(checked(klaviyoConnector, given)).toEqual(given);
});
