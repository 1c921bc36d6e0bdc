import { source } from '../../testing/installation.fixture';
import { ByteReader } from './byte-reader';
import { DerivedIds } from './derived-id';
import { normaliseEvent } from './normalise-event';
import { readSubmission } from './read-submission';
import type { RequestFacts } from './sender';
import { instantOf } from './instants';

const RECEIVED = '"2024-05-06T07:08:09.010Z"';
const { state } = source('nodejs');

const request = (members: Partial<RequestFacts> = {}): RequestFacts => ({
  origin: { connection: '"c"', derivedIds: new DerivedIds(state.id), addressPolicy: 'keep' },
  receivedMs: instantOf(RECEIVED),
  receivedAt: RECEIVED,
  peerAddress: undefined,
  userAgent: undefined,
  ...members,
});

/** The normalised first event of a body. */
const made = (body: string, facts: RequestFacts = request()) => {
  const submission = readSubmission(new ByteReader(Buffer.from(body), 32), 100);
  const [event] = submission.events;
  if (event === undefined) throw new Error('no event');
  const normalised = normaliseEvent(event, {
    request: facts,
    typeByPath: undefined,
    batchSentAt: submission.sentAt === undefined ? undefined : instantOf(submission.sentAt),
    batchContext: submission.context,
    maxEventBytes: 32_768,
  });
  if ('code' in normalised) throw new Error(`${normalised.path} ${normalised.message}`);
  return { ...normalised, event: JSON.parse(normalised.text) as Record<string, unknown> };
};

const page = (members: string) =>
  `{"type":"page","userId":"u"${members === '' ? '' : `,${members}`}}`;
const context = (members: string, facts?: RequestFacts) =>
  made(page(`"context":{${members}}`), facts).event['context'];

describe('times', () => {
  it.each([
    ['none', '', RECEIVED, RECEIVED, RECEIVED],
    [
      'a clock that is right',
      '"sentAt":"2024-05-06T07:08:09.010Z","timestamp":"2024-05-06T07:00:00Z"',
      '"2024-05-06T07:08:09.010Z"',
      '"2024-05-06T07:00:00Z"',
      '"2024-05-06T07:00:00Z"',
    ],
    [
      'a clock that is an hour late',
      '"sentAt":"2024-05-06T06:08:09.010Z","timestamp":"2024-05-06T06:00:00Z"',
      '"2024-05-06T06:08:09.010Z"',
      '"2024-05-06T06:00:00Z"',
      '"2024-05-06T07:00:00Z"',
    ],
    [
      'a time in the future',
      '"timestamp":"2030-01-01T00:00:00Z"',
      RECEIVED,
      '"2030-01-01T00:00:00Z"',
      RECEIVED,
    ],
    [
      'originalTimestamp before timestamp',
      '"originalTimestamp":"2024-01-01T00:00:00Z","timestamp":"2024-02-02T00:00:00Z"',
      RECEIVED,
      '"2024-01-01T00:00:00Z"',
      '"2024-01-01T00:00:00Z"',
    ],
    [
      'digits below the millisecond',
      '"timestamp":"2024-01-01T00:00:00.123987Z"',
      RECEIVED,
      '"2024-01-01T00:00:00.123Z"',
      '"2024-01-01T00:00:00.123Z"',
    ],
    ['empty ones', '"sentAt":"","timestamp":null', RECEIVED, RECEIVED, RECEIVED],
  ])('%s', (_, members, sentAt, originalTimestamp, timestamp) => {
    const { text } = made(page(members));
    expect(text).toContain(
      `"sentAt":${sentAt},"originalTimestamp":${originalTimestamp},"timestamp":${timestamp}`,
    );
  });

  it("uses the batch's sentAt when the event has none", () => {
    const batch = (event: string) => `{"batch":[${event}],"sentAt":"2024-01-01T00:00:00Z"}`;
    expect(made(batch(page(''))).event).toMatchObject({ sentAt: '2024-01-01T00:00:00Z' });
    const own = page('"sentAt":"2024-02-02T00:00:00Z"');
    expect(made(batch(own)).event).toMatchObject({ sentAt: '2024-02-02T00:00:00Z' });
  });
});

describe('context', () => {
  it.each([
    [
      'zero and false',
      '"location":{"speed":0,"latitude":-0.0},"network":{"wifi":false},"screen":{"width":0}',
      { location: { latitude: 0, speed: 0 }, network: { wifi: false }, screen: { width: 0 } },
    ],
    [
      'limits of int 16',
      '"screen":{"width":32767,"height":-32768}',
      { screen: { width: 32767, height: -32768 } },
    ],
    ['density, rounded', '"screen":{"density":2.625}', { screen: { density: 2.63 } }],
    ['density, the greatest', '"screen":{"density":9.99}', { screen: { density: 9.99 } }],
    [
      'session of the SDKs',
      '"sessionId":9,"sessionStart":false',
      { session: { id: 9, start: false } },
    ],
    [
      'session before that of the SDKs',
      '"sessionId":9,"session":{"id":"5"}',
      { session: { id: 5 } },
    ],
    ['NFC', '"locale":"e\\u0301"', { locale: 'é' }],
    [
      'null and empty',
      '"locale":"","timezone":null,"app":{"name":null},"page":{"url":""}',
      undefined,
    ],
    ['unknown members', '"consents":{"a":1},"app":{"x":1,"name":"n"}', { app: { name: 'n' } }],
    ['mapped address', '"ip":"::ffff:1.2.3.4"', { ip: '1.2.3.4' }],
    [
      'names without regard to case',
      '"os":{"name":"DARWIN"},"browser":{"name":"netscape"}',
      { browser: { name: 'Other', other: 'netscape' }, os: { name: 'macOS' } },
    ],
    [
      'other only beside Other',
      '"os":{"name":"iOS","other":"x"},"browser":{"other":"y"}',
      { os: { name: 'iOS' } },
    ],
    ['other as given', '"os":{"name":"Other","other":"x"}', { os: { name: 'Other', other: 'x' } }],
  ])('keeps %s', (_, members, expected) => {
    const { event, warnings } = made(page(`"context":{${members}}`));
    expect(event['context']).toEqual(expected);
    expect(warnings).toEqual([]);
  });

  it.each([
    ['"screen":{"width":32768}', '/context/screen/width'],
    ['"screen":{"height":5.0}', '/context/screen/height'],
    ['"screen":{"density":0.004}', '/context/screen/density'],
    ['"screen":{"density":9.995}', '/context/screen/density'],
    ['"screen":5', '/context/screen'],
    ['"location":{"latitude":"1"}', '/context/location/latitude'],
    ['"location":{"speed":1e999}', '/context/location/speed'],
    ['"network":{"wifi":"true"}', '/context/network/wifi'],
    ['"session":{"id":9223372036854775808}', '/context/session/id'],
    ['"sessionId":1.5', '/context/sessionId'],
    ['"locale":5', '/context/locale'],
    ['"locale":"\\u0000"', '/context/locale'],
    ['"page":{"url":"\\udfff"}', '/context/page/url'],
    ['"ip":"224.0.0.1"', '/context/ip'],
    ['"traits":[]', '/context/traits'],
  ])('drops %s with a warning', (members, path) => {
    const { event, warnings } = made(page(`"context":{${members},"timezone":"UTC"}`));
    expect(event['context']).toEqual({ timezone: 'UTC' });
    expect(warnings).toEqual([{ path, message: expect.any(String) as string }]);
  });

  it("falls back to the batch's, member by member", () => {
    const batch =
      '{"context":{"locale":"it","app":{"name":"a","version":"1"},"sessionId":1},"batch":[%]}';
    const event = page('"context":{"app":{"name":"b"},"session":{"id":2},"locale":null}');
    expect(made(batch.replace('%', event)).event['context']).toEqual({
      app: { name: 'b', version: '1' },
      locale: 'it',
      session: { id: 2 },
    });
  });

  it('uses address and user agent of the request when the event has none', () => {
    const facts = request({ peerAddress: '"203.0.113.7"', userAgent: '"curl/8"' });
    const filled = { ip: '203.0.113.7', userAgent: 'curl/8' };
    expect(made(page(''), facts).event['context']).toMatchObject(filled);
    expect(context('"ip":"1.2.3.4","userAgent":"x"', facts)).toMatchObject({
      ip: '1.2.3.4',
      userAgent: 'x',
    });
    expect(context('"ip":"0.0.0.0"', facts)).not.toHaveProperty('ip');
  });

  it.each([
    ['mask', { ip: '1.2.3.0' }],
    ['drop', undefined],
  ] as const)('applies the policy %s to addresses', (addressPolicy, expected) => {
    const facts = request();
    expect(
      context('"ip":"1.2.3.4"', { ...facts, origin: { ...facts.origin, addressPolicy } }),
    ).toEqual(expected);
  });
});

describe('traits', () => {
  it.each([
    ['', '{}'],
    ['"traits":{"a":1.50}', '{"a":1.50}'],
    ['"context":{"traits":{"a":1}}', '{"a":1}'],
    ['"traits":{"b":2,"a":null},"context":{"traits":{"a":1,"c":3}}', '{"a":null,"c":3,"b":2}'],
    ['"traits":{},"context":{"traits":{"a":""}}', '{"a":""}'],
  ])('of %s are %s', (members, traits) => {
    expect(made(page(members)).text).toContain(`"traits":${traits},`);
  });
});

describe('integrations', () => {
  it.each([
    ['', null],
    ['"integrations":{}', null],
    ['"integrations":{"All":true}', null],
    ['"integrations":{"All":true,"Mixpanel":{"x":1}}', null],
    ['"integrations":{"All":false}', { All: false }],
    [
      '"integrations":{"All":false,"http":true,"Klaviyo":{"x":1},"n":5}',
      { All: false, http: true, Klaviyo: true },
    ],
  ])('of %s are %j', (members, integrations) => {
    const { integrations: read, event } = made(page(members));
    expect(read).toEqual(integrations);
    expect(event).not.toHaveProperty('integrations');
  });
});

it('has different digests for different bodies, whatever the times', () => {
  const digest = (members: string, facts?: RequestFacts) =>
    made(page(`"messageId":"m",${members}`), facts).digest;
  const plain = digest('"properties":{"a":1}');
  expect(
    digest(
      '"properties":{"a":1},"sentAt":"2024-01-01"',
      request({ receivedMs: 5, receivedAt: '"x"' }),
    ),
  ).toBe(plain);
  expect(digest('"properties":{"a":2}')).not.toBe(plain);
  expect(digest('"traits":{"a":1}')).not.toBe(plain);
});

it('generates ids that sort by time', () => {
  const ids = [1, 2, 3].map(() => made(page('')).event['messageId'] as string);
  expect([...ids].sort()).toEqual(ids);
  expect(ids[0]).toMatch(/^[\da-f]{8}-[\da-f]{4}-7/);
});

describe('the location of an address', () => {
  const place = { city: '"Paris"', country: '"France"', latitude: '48.85', longitude: '2.35' };
  const PARIS = { city: 'Paris', country: 'France', latitude: 48.85, longitude: 2.35 };
  const lookedUp: string[] = [];
  const locate = (address: string) => {
    lookedUp.push(address);
    return place;
  };
  const placed = (members: string, { policy = 'keep', ...facts }: PlacedBy = {}) => {
    lookedUp.length = 0;
    const { origin } = request();
    return context(
      members,
      request({ locate, origin: { ...origin, addressPolicy: policy }, ...facts }),
    ) as Record<string, unknown> | undefined;
  };
  type PlacedBy = Partial<RequestFacts> & { policy?: 'keep' | 'mask' | 'drop' };

  it.each<[what: string, members: string, facts: PlacedBy, address: string]>([
    ['an event', '"ip":"1.2.3.4"', {}, '1.2.3.4'],
    ['the peer', '', { peerAddress: '"5.6.7.8"' }, '5.6.7.8'],
    ['an event behind a peer', '"ip":"1.2.3.4"', { peerAddress: '"5.6.7.8"' }, '1.2.3.4'],
    ['a masked address', '"ip":"1.2.3.4"', { policy: 'mask' }, '1.2.3.0'],
    ['a mapped address', '"ip":"::ffff:1.2.3.4"', {}, '1.2.3.4'],
    ['an empty location', '"ip":"1.2.3.4","location":{"city":"","speed":null}', {}, '1.2.3.4'],
    ['a location of no use', '"ip":"1.2.3.4","location":{"latitude":"x"}', {}, '1.2.3.4'],
  ])('is filled in for %s', (_, members, facts, address) => {
    expect(placed(members, facts)).toEqual({ ip: address, location: PARIS });
    expect(lookedUp).toEqual([`"${address}"`]);
  });

  it.each<[what: string, members: string, facts: PlacedBy, location: unknown]>([
    ['without an address', '', {}, undefined],
    ['of a withheld address', '"ip":"0.0.0.0"', { peerAddress: '"5.6.7.8"' }, undefined],
    ['of an address that is dropped', '"ip":"1.2.3.4"', { policy: 'drop' }, undefined],
    ['of an address that does not fit', '"ip":"x"', {}, undefined],
    ['with a city', '"ip":"1.2.3.4","location":{"city":"Rome"}', {}, { city: 'Rome' }],
    ['with a speed', '"ip":"1.2.3.4","location":{"speed":0}', {}, { speed: 0 }],
    ['without a database', '"ip":"1.2.3.4"', { locate: undefined }, undefined],
  ])('is not looked up for an event %s', (_, members, facts, location) => {
    expect(placed(members, facts)?.['location']).toEqual(location);
    expect(lookedUp).toEqual([]);
  });

  it('may be partly or entirely unknown', () => {
    const facts = { peerAddress: '"1.2.3.4"' };
    expect(placed('', { ...facts, locate: () => ({}) })).toEqual({ ip: '1.2.3.4' });
    expect(placed('', { ...facts, locate: () => ({ country: '"France"' }) })).toEqual({
      ip: '1.2.3.4',
      location: { country: 'France' },
    });
  });
});
