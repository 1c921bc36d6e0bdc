import { EventRefused } from '../connector/event-destination';
import { itKeepsTheDestinationPromises } from '../event-destination.conformance';
import { answer } from '../http-stub.fixture';
import { Sending } from '../sending.fixture';
import { badPaths, checked } from '../settings-table.fixture';
import { vendorTests } from '../vendor-tests.fixture';
import { brevoConnector } from './brevo-connector';
import { BrevoVendor } from './brevo-vendor.fixture';

const KEY = 'xkeysib-secret-key';
const { destination, event, settings } = vendorTests(brevoConnector);
const to = (origin: string) => settings({ apiKey: KEY, baseURL: origin });

describe('Brevo', () =>
  itKeepsTheDestinationPromises({
    destination,
    settings: to,
    secrets: [KEY],
    event: (n) => event('create_event', {}, n),
    vendor: () => new BrevoVendor(KEY).answer,
    strangers: (origin) => settings({ apiKey: 'other', baseURL: origin }),
  }));

describe('what Brevo is sent', () => {
  let vendor: BrevoVendor;
  const sending = new Sending(destination, to, () => (vendor = new BrevoVendor(KEY)).answer);

  it('is an event of a contact', async () => {
    const outgoing = event('create_event', {
      mapping: {
        contact_properties: 'map("PLAN", traits.plan)',
        'identifiers.phone_id': '"+3906"',
      },
    });
    expect(await sending.send(outgoing)).toMatchObject([{ kind: 'delivered' }]);
    expect(vendor.taken).toEqual([
      {
        event_name: 'Order_Completed',
        event_date: outgoing.event['timestamp'],
        identifiers: { email_id: 'ada@example.com', phone_id: '+3906', ext_id: 'user-1' },
        contact_properties: { PLAN: 'free' },
        event_properties: { order_id: 'o-1', total: 12.5, paid: true },
      },
    ]);
  });

  it('leaves out what is not there', async () => {
    await sending.send(
      event('create_event', { event: { userId: undefined, properties: undefined } }),
    );
    expect(Object.keys(vendor.taken[0] ?? {})).toEqual(['event_name', 'event_date', 'identifiers']);
    expect(vendor.taken[0]?.['identifiers']).toEqual({ email_id: 'ada@example.com' });
  });

  it('is one event a request', async () => {
    expect(await sending.send(event('create_event'), event('create_event', {}, 2))).toHaveLength(1);
  });

  it.each<[Record<string, string>, object]>([
    [{ 'x-sib-ratelimit-reset': '9' }, { retryAfterMs: 9_000 }],
    [{ 'x-sib-ratelimit-reset': '9', 'Retry-After': '4' }, { retryAfterMs: 4_000 }],
  ])('takes the delay from the headers %j', async (headers, expected) => {
    sending.vendorStub.next(answer(429, '', headers));
    expect(await sending.send(event('create_event'))).toMatchObject([
      { kind: 'unavailable', status: 429, ...expected },
    ]);
  });

  it('waits for the rate of other answers in no case', async () => {
    const headers = { 'x-sib-ratelimit-reset': '9' };
    sending.vendorStub.next(answer(500, '', headers), answer(204, '', headers));
    expect((await sending.send(event('create_event')))[0]).not.toHaveProperty('retryAfterMs');
    expect(await sending.send(event('create_event'))).toMatchObject([{ kind: 'delivered' }]);
  });
});

const BAD_NAME = 'event_name must be 1 to 255 letters, digits, _ or -';

it.each<[string, object]>([
  [BAD_NAME, { event: { event: '' } }],
  [BAD_NAME, { event: { event: 'Order Completed' } }],
  [BAD_NAME, { event: { event: 'e'.repeat(256) } }],
  [
    'one of email_id, phone_id, ext_id is needed in identifiers',
    { event: { userId: undefined, traits: {} } },
  ],
  ['event_properties must be a JSON object', { event: { properties: 1 } }],
  [
    'contact_properties must be a JSON object',
    { mapping: { contact_properties: 'json_parse("[]")' } },
  ],
])('refuses with %j: %j', (message, more) => {
  const refused = event('create_event', more);
  expect(() => destination.preview(refused, to('https://example.com'))).toThrow(
    new EventRefused(message),
  );
});

it('takes a name of 255 characters, and sends it to the vendor with a masked key', () => {
  const longest = event('create_event', { event: { event: 'e'.repeat(255) } });
  const preview = destination.preview(longest, settings({ apiKey: KEY }));
  expect(preview).toMatch(/^POST https:\/\/api\.brevo\.com\/v3\/events\n/);
  expect(preview).toContain('api-key: ••••-key');
});

it('keeps below the rate', () => {
  const { ratePerSecond } = destination.limits(settings({ apiKey: KEY }));
  expect(ratePerSecond).toBeLessThanOrEqual(10 * 0.8);
});

it.each<[string, object]>([
  ['/apiKey', {}],
  ['/apiKey', { apiKey: '' }],
  ['/apiKey', { apiKey: 'k'.repeat(256) }],
  ['/apiKey', { apiKey: 'a\nb' }],
])('%s is bad in %j', (path, bad) => {
  expect(badPaths(brevoConnector, bad)).toEqual([path]);
});

it('takes the longest key', () => {
  const given = { apiKey: 'k'.repeat(255) };
  expect(checked(brevoConnector, given)).toEqual(given);
});
