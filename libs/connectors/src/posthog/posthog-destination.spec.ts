import { EventRefused } from '../connector/event-destination';
import { itKeepsTheDestinationPromises } from '../event-destination.conformance';
import { answer } from '../http-stub.fixture';
import { Sending } from '../sending.fixture';
import { badPaths, checked } from '../settings-table.fixture';
import { vendorTests } from '../vendor-tests.fixture';
import { posthogConnector } from './posthog-connector';
import { PosthogVendor } from './posthog-vendor.fixture';

const KEY = 'phc_"secret"-project-key';
const { destination, event, settings } = vendorTests(posthogConnector);
const cloud = { projectRegion: 'EU' };
const to = (origin: string) => settings({ apiKey: KEY, cloud, baseURL: origin });

describe('PostHog', () =>
  itKeepsTheDestinationPromises({
    destination,
    settings: to,
    secrets: [KEY, JSON.stringify(KEY).slice(1, -1)],
    event: (n) => event('capture', {}, n),
    vendor: () => new PosthogVendor(KEY).answer,
    strangers: (origin) => settings({ apiKey: 'other', cloud, baseURL: origin }),
  }));

describe('what PostHog is sent', () => {
  let vendor: PosthogVendor;
  const sending = new Sending(destination, to, () => (vendor = new PosthogVendor(KEY)).answer);
  const taken = () => [...vendor.taken.values()];

  const PLACE = { distinct_id: 'user-1', $ip: '192.0.2.7' };
  const PROPERTIES = { order_id: 'o-1', total: 12.5, paid: true };

  it.each<[string, object, string, object]>([
    ['capture', {}, 'Order_Completed', PROPERTIES],
    [
      'pageview',
      {},
      '$pageview',
      {
        ...PROPERTIES,
        $current_url: 'https://shop.example/cart?step=2',
        $referrer: 'https://search.example/',
        $title: 'Cart',
      },
    ],
    ['screen', {}, '$screen', { ...PROPERTIES, $screen_name: 'Cart' }],
    [
      'identify',
      { mapping: { set_once: 'map("first", name)' } },
      '$identify',
      {
        $set: { email: 'ada@example.com', plan: 'free' },
        $set_once: { first: 'Cart' },
        $anon_distinct_id: 'anonymous-1',
      },
    ],
    ['alias', {}, '$create_alias', { alias: 'previous-1' }],
    [
      'group',
      { mapping: { groupType: '"company"' } },
      '$groupidentify',
      {
        $group_type: 'company',
        $group_key: 'group-1',
        $group_set: { email: 'ada@example.com', plan: 'free' },
      },
    ],
  ])('%s %j is %s', async (eventType, given, name, properties) => {
    const outgoing = event(eventType, given);
    expect(await sending.send(outgoing)).toMatchObject([{ kind: 'delivered' }]);
    expect(taken()).toEqual([
      {
        event: name,
        properties: { ...properties, ...PLACE },
        timestamp: outgoing.event['timestamp'],
        uuid: expect.any(String) as string,
      },
    ]);
  });

  it('is of the anonymous user where there is no other, and of no place where none is known', async () => {
    await sending.send(event('identify', { event: { userId: undefined, context: undefined } }));
    expect(taken()[0]?.properties).toEqual({
      $set: { email: 'ada@example.com', plan: 'free' },
      distinct_id: 'anonymous-1',
      $geoip_disable: true,
    });
  });

  it('cannot be given another user by properties of the event', async () => {
    await sending.send(event('capture', { event: { properties: { distinct_id: 'other', a: 1 } } }));
    expect(taken()[0]?.properties).toEqual({ a: 1, ...PLACE });
  });

  it('has every digit of a number', async () => {
    const outgoing = event('capture', {
      mapping: { properties: 'json_parse("{\\"id\\":12345678901234567890,\\"p\\":1.50}")' },
    });
    await sending.send(outgoing);
    expect(sending.vendorStub.requests[0]?.body).toContain('"id":12345678901234567890,"p":1.50');
  });

  it('is in the order of the events, and taken once when it is sent again', async () => {
    const events = [1, 2, 3].map((n) => event('capture', { event: { event: `E${String(n)}` } }, n));
    await sending.send(...events);
    await sending.send(...events);
    expect(sending.vendorStub.requests).toHaveLength(2);
    expect(taken().map(({ event: name }) => name)).toEqual(['E1', 'E2', 'E3']);
  });

  it('is at most 1,000 events and 4 MB', async () => {
    const many = Array.from({ length: 1_001 }, (_, n) => event('capture', {}, n));
    expect(await sending.send(...many)).toHaveLength(1_000);
    const properties = { text: 'x'.repeat(990_000) };
    const large = [1, 2, 3, 4, 5].map((n) => event('capture', { event: { properties } }, n));
    expect(await sending.send(...large)).toHaveLength(4);
  });

  it('is tried again when the project is over its quota, which PostHog answers with 200', async () => {
    sending.vendorStub.next(
      answer(200, '{"status":"Ok","quota_limited":["events"]}'),
      answer(200, '{"status":"Ok","quota_limited":["recordings"]}'),
    );
    expect(await sending.send(event('capture'))).toEqual([
      { kind: 'unavailable', reason: 'the project is over its quota', status: 200 },
    ]);
    expect(await sending.send(event('capture'))).toMatchObject([{ kind: 'delivered' }]);
  });
});

it.each<[string, string, object]>([
  ['PostHog drops events without a name', 'capture', { event: { event: '' } }],
  [
    'PostHog drops events of more than 1 MB',
    'capture',
    { event: { properties: { text: 'x'.repeat(1_000_000) } } },
  ],
  ['properties must be a JSON object', 'capture', { event: { properties: [1] } }],
  ['properties must be a JSON object', 'pageview', { event: { properties: 'text' } }],
  ['set must be a JSON object', 'identify', { mapping: { set: 'json_parse("1")' } }],
])('refuses with %j: %s', (message, eventType, given) => {
  const refused = event(eventType, given);
  expect(() => destination.preview(refused, to('https://example.com'))).toThrow(
    new EventRefused(message),
  );
});

it.each([
  [{ cloud: { projectRegion: 'US' } }, 'https://us.i.posthog.com/batch/'],
  [{ cloud: { projectRegion: 'EU' } }, 'https://eu.i.posthog.com/batch/'],
  [{ selfHosted: { url: 'https://hog.example/p/' } }, 'https://hog.example/p/batch/'],
  [{ cloud, baseURL: 'https://stub.example/a' }, 'https://stub.example/a/batch/'],
])('with %j sends to %s', (host, url) => {
  const preview = destination.preview(event('capture'), settings({ apiKey: KEY, ...host }));
  expect(preview.split('\n')[0]).toBe(`POST ${url}`);
});

it.each<[string, object]>([
  ['/apiKey', { cloud }],
  ['/apiKey', { apiKey: '', cloud }],
  ['/apiKey', { apiKey: 'x'.repeat(256), cloud }],
  ['/apiKey', { apiKey: 'a b', cloud }],
  ['/cloud', { apiKey: 'k' }],
  ['/selfHosted', { apiKey: 'k', cloud, selfHosted: { url: 'https://hog.example' } }],
  ['/cloud/projectRegion', { apiKey: 'k', cloud: {} }],
  ['/cloud/projectRegion', { apiKey: 'k', cloud: { projectRegion: 'eu' } }],
  ['/selfHosted/url', { apiKey: 'k', selfHosted: {} }],
  ['/selfHosted/url', { apiKey: 'k', selfHosted: { url: 'hog.example' } }],
  ['/selfHosted/url', { apiKey: 'k', selfHosted: { url: 'https://hog.example/?a' } }],
  ['/baseURL', { apiKey: 'k', cloud, baseURL: 'https://user@example.com' }],
  ['/baseURL', { apiKey: 'k', cloud, baseURL: 'https://example.com/?a=1' }],
  ['/baseURL', { apiKey: 'k', cloud, baseURL: 'https://example.com/#a' }],
  ['/baseURL', { apiKey: 'k', cloud, baseURL: 'ftp://example.com' }],
  ['/baseURL', { apiKey: 'k', cloud, baseURL: `https://example.com/${'a'.repeat(2_029)}` }],
])('%s is bad in %j', (path, given) => {
  expect(badPaths(posthogConnector, given)).toEqual([path]);
});

it('takes the longest key and URL', () => {
  const given = {
    apiKey: 'x'.repeat(255),
    cloud,
    baseURL: `https://example.com/${'a'.repeat(2_028)}`,
  };
  expect(checked(posthogConnector, given)).toEqual(given);
});
