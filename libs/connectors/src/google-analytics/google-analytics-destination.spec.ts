import { EventRefused } from '../connector/event-destination';
import { itKeepsTheDestinationPromises } from '../event-destination.conformance';
import { identityOf } from '../requests/event-identity';
import { Sending } from '../sending.fixture';
import { badPaths, checked } from '../settings-table.fixture';
import { vendorTests } from '../vendor-tests.fixture';
import { googleAnalyticsConnector } from './google-analytics-connector';
import { GoogleAnalyticsVendor } from './google-analytics-vendor.fixture';

const ID = 'G-ABC123';
const SECRET = 'secret/of+the&stream';
const given = { measurementID: ID, apiSecret: SECRET };
const { destination, event, settings } = vendorTests(googleAnalyticsConnector);
const to = (origin: string) => settings({ ...given, baseURL: origin });

describe('Google Analytics', () =>
  itKeepsTheDestinationPromises({
    destination,
    settings: to,
    secrets: [SECRET, encodeURIComponent(SECRET)],
    event: (n) => event('custom', {}, n),
    vendor: () => new GoogleAnalyticsVendor(ID, SECRET).answer,
  }));

const hoursAgo = (hours: number): string => new Date(Date.now() - hours * 3_600_000).toISOString();

const ITEMS = 'json_parse("[{\\"item_id\\":\\"i-1\\",\\"price\\":9.5,\\"quantity\\":2}]")';

describe('what Google Analytics is sent', () => {
  let vendor: GoogleAnalyticsVendor;
  const sending = new Sending(
    destination,
    to,
    () => (vendor = new GoogleAnalyticsVendor(ID, SECRET)).answer,
  );

  const SESSION = { session_id: '1772357400000', engagement_time_msec: 1 };
  const ITEM = { item_id: 'i-1', price: 9.5, quantity: 2 };

  it.each<[string, Record<string, string>, string, object]>([
    [
      'page_view',
      {},
      'page_view',
      {
        page_location: 'https://shop.example/cart?step=2',
        page_title: 'Cart',
        page_referrer: 'https://search.example/',
      },
    ],
    ['login', { method: '"email"' }, 'login', { method: 'email' }],
    ['sign_up', { method: '"email"' }, 'sign_up', { method: 'email' }],
    ['search', { search_term: '"shoes"' }, 'search', { search_term: 'shoes' }],
    ...['view_item', 'add_to_cart', 'remove_from_cart', 'begin_checkout'].map(
      (id): [string, Record<string, string>, string, object] => [
        id,
        { currency: '"EUR"', value: 'properties.total', items: ITEMS },
        id,
        { currency: 'EUR', value: 12.5, items: [ITEM] },
      ],
    ),
    ...['purchase', 'refund'].map((id): [string, Record<string, string>, string, object] => [
      id,
      { transaction_id: 'properties.order_id', tax: '1.25', items: ITEMS },
      id,
      { transaction_id: 'o-1', tax: 1.25, items: [ITEM] },
    ]),
    ['generate_lead', { value: '5' }, 'generate_lead', { value: 5 }],
    ['custom', {}, 'Order_Completed', { order_id: 'o-1', total: 12.5, paid: true }],
  ])('%s %j is %s', async (eventType, mapping, name, params) => {
    const outgoing = event(eventType, { mapping });
    expect(await sending.send(outgoing)).toMatchObject([{ kind: 'delivered' }]);
    expect(vendor.taken).toEqual([
      {
        client_id: 'anonymous-1',
        user_id: 'user-1',
        name,
        params: { ...SESSION, ...params },
        timestamp_micros: identityOf(outgoing).timeMs * 1_000,
      },
    ]);
  });

  it('has a time of the request, and one of each event', async () => {
    const [first, second] = [hoursAgo(2), hoursAgo(1)];
    await sending.send(
      event('custom', { event: { timestamp: first } }, 1),
      event('custom', { event: { timestamp: second } }, 2),
    );
    expect(sending.bodies).toMatchObject([
      {
        timestamp_micros: Date.parse(first) * 1_000,
        events: [
          { timestamp_micros: Date.parse(first) * 1_000 },
          { timestamp_micros: Date.parse(second) * 1_000 },
        ],
      },
    ]);
  });

  it('leaves session and user out where there are none, and lets parameters override them', async () => {
    const properties = { engagement_time_msec: 250 };
    await sending.send(
      event('custom', { event: { userId: undefined, context: undefined, properties } }),
    );
    const [taken] = vendor.taken;
    expect(taken).not.toHaveProperty('user_id');
    expect(taken?.params).toEqual({ engagement_time_msec: 250 });
  });

  it('is of one client and user', async () => {
    const of = (members: object, n: number) => event('custom', { event: members }, n);
    const client = of({}, 1);
    expect(await sending.send(client, of({}, 2), of({ anonymousId: 'other' }, 3))).toHaveLength(2);
    expect(await sending.send(client, of({ userId: 'other' }, 2))).toHaveLength(1);
  });

  it('is at most 25 events', async () => {
    const many = Array.from({ length: 26 }, (_, n) => event('custom', {}, n));
    expect(await sending.send(...many)).toHaveLength(25);
    expect(vendor.taken).toHaveLength(25);
  });

  it('is at most 130 kB', async () => {
    const list = Array.from({ length: 900 }, () => 'x'.repeat(97));
    const many = [1, 2].map((n) => event('custom', { event: { properties: { list } } }, n));
    expect(await sending.send(...many)).toHaveLength(1);
    expect(vendor.taken).toHaveLength(1);
  });

  it('is delivered without the event that is refused, which then is', async () => {
    const bad = event('custom', { event: { event: 'session_start' } }, 2);
    const good = [event('custom', {}, 1), event('custom', {}, 3)] as const;
    expect(await sending.send(good[0], bad, good[1])).toMatchObject([{ kind: 'delivered' }]);
    expect(await sending.send(bad, good[1])).toEqual([
      { kind: 'rejected', reason: 'the event name is reserved' },
    ]);
    expect(vendor.taken).toHaveLength(1);
  });
});

const named = (name: string) => ({ event: { event: name } });
const params = (properties: object) => ({ event: { properties } });
const BAD_NAME = 'must be a letter and then letters, digits or _, at most 40 characters';
const numbered = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${String(n)}`, n]));

it.each<[string, object]>([
  [`the event name ${BAD_NAME}`, named('')],
  [`the event name ${BAD_NAME}`, named('Order Completed')],
  [`the event name ${BAD_NAME}`, named('1st')],
  [`the event name ${BAD_NAME}`, named('_order')],
  [`the event name ${BAD_NAME}`, named('ä')],
  [`the event name ${BAD_NAME}`, named('e'.repeat(41))],
  ['the event name is reserved', named('user_engagement')],
  ['the event name has a reserved prefix', named('ga_order')],
  ['the event name has a reserved prefix', named('google_order')],
  ['the event name has a reserved prefix', named('firebase_order')],
  ['the event is older than 72 hours', { event: { timestamp: hoursAgo(72.1) } }],
  ['the event has more than 25 parameters', params(numbered(26))],
  [`the parameter name ${BAD_NAME}`, params({ ['p'.repeat(41)]: 1 })],
  [`the parameter name ${BAD_NAME}`, params({ 'a b': 1 })],
  ['the parameter name has a reserved prefix', params({ ga_id: 1 })],
  ['a text of a parameter is longer than 100 characters', params({ a: 'x'.repeat(101) })],
  ['a text of a parameter is longer than 100 characters', params({ a: [{ b: 'x'.repeat(101) }] })],
  [
    'a text of a parameter is longer than 1000 characters',
    params({ page_location: 'x'.repeat(1_001) }),
  ],
  ['a text of a parameter is longer than 300 characters', params({ page_title: 'x'.repeat(301) })],
  [
    'a text of a parameter is longer than 420 characters',
    params({ page_referrer: 'x'.repeat(421) }),
  ],
  [
    'the event is too large for a request',
    params({ a: Array.from({ length: 1_300 }, () => 'x'.repeat(97)) }),
  ],
  ['params must be a JSON object', params([])],
])('refuses with %j: %j', (message, more) => {
  expect(() => destination.preview(event('custom', more), to('https://example.com'))).toThrow(
    new EventRefused(message),
  );
});

it.each<[object]>([
  [named('e'.repeat(40))],
  [named('page_view')],
  [{ event: { timestamp: hoursAgo(71.9) } }],
  [params(numbered(25))],
  [params({ ['p'.repeat(40)]: 1 })],
  [params({ a: '🦜'.repeat(100), b: null, c: [{ d: 'x' }] })],
  [params({ page_location: 'x'.repeat(1_000), page_title: 'x'.repeat(300) })],
])('takes %j', (more) => {
  expect(destination.preview(event('custom', more), to('https://example.com'))).toMatch(/^POST /);
});

it.each([
  [{}, 'https://www.google-analytics.com/mp/collect'],
  [{ collectionEndpoint: 'Global' }, 'https://www.google-analytics.com/mp/collect'],
  [{ collectionEndpoint: 'EU' }, 'https://region1.google-analytics.com/mp/collect'],
])('with %j sends to %s', (more, url) => {
  const preview = destination.preview(event('custom'), settings({ ...given, ...more }));
  expect(preview.split('\n')[0]).toBe(`POST ${url}?measurement_id=G-ABC123&api_secret=••••ream`);
});

it('throws on an event type that it does not have', () => {
  const unknown = { ...event('custom'), eventType: 'none' };
  expect(() => destination.preview(unknown, to('https://example.com'))).toThrow(TypeError);
});

it.each<[string, object]>([
  ['/measurementID', { apiSecret: 's' }],
  ['/measurementID', { ...given, measurementID: 'UA-1234' }],
  ['/measurementID', { ...given, measurementID: 'G' }],
  ['/measurementID', { ...given, measurementID: `G-${'A'.repeat(19)}` }],
  ['/apiSecret', { measurementID: ID }],
  ['/apiSecret', { ...given, apiSecret: '' }],
  ['/apiSecret', { ...given, apiSecret: 's'.repeat(101) }],
  ['/apiSecret', { ...given, apiSecret: '••••ream' }],
  ['/collectionEndpoint', { ...given, collectionEndpoint: 'US' }],
])('%s is bad in %j', (path, bad) => {
  expect(badPaths(googleAnalyticsConnector, bad)).toEqual([path]);
});

it('collects globally by default', () => {
  const longest = { measurementID: `G-${'A'.repeat(18)}`, apiSecret: 's'.repeat(100) };
  expect(checked(googleAnalyticsConnector, longest)).toEqual({
    ...longest,
    collectionEndpoint: 'Global',
  });
  expect(badPaths(googleAnalyticsConnector, { ...given, measurementID: 'G-' })).toEqual([]);
});
