import { EventRefused } from '../connector/event-destination';
import { itKeepsTheDestinationPromises } from '../event-destination.conformance';
import { answer } from '../http-stub.fixture';
import { identityOf } from '../requests/event-identity';
import { Sending } from '../sending.fixture';
import { badPaths, checked } from '../settings-table.fixture';
import { vendorTests } from '../vendor-tests.fixture';
import { mixpanelConnector } from './mixpanel-connector';
import { MixpanelVendor } from './mixpanel-vendor.fixture';

const TOKEN = 'secret-project-token';
const PROJECT = '1234567';
const CREDENTIALS = Buffer.from(`${TOKEN}:`).toString('base64');
const { destination, event, settings } = vendorTests(mixpanelConnector);
const given = { projectID: PROJECT, projectToken: TOKEN };
const to = (origin: string) => settings({ ...given, baseURL: origin });

const underTest = (eventType: string) => ({
  destination,
  settings: to,
  secrets: [TOKEN, CREDENTIALS],
  event: (n: number) => event(eventType, {}, n),
  vendor: () => new MixpanelVendor(TOKEN, PROJECT).answer,
});

describe('events for Mixpanel', () =>
  itKeepsTheDestinationPromises({
    ...underTest('track'),
    strangers: (origin) => settings({ ...given, projectToken: 'other', baseURL: origin }),
  }));

/** The vendor does not document whether it checks the token of a profile. */
describe('profiles for Mixpanel', () => itKeepsTheDestinationPromises(underTest('set_profile')));

describe('what Mixpanel is sent', () => {
  let vendor: MixpanelVendor;
  const sending = new Sending(
    destination,
    to,
    () => (vendor = new MixpanelVendor(TOKEN, PROJECT)).answer,
  );
  const taken = () => [...vendor.events.values()];

  const PROPERTIES = { order_id: 'o-1', total: 12.5, paid: true };
  const IDENTITY = {
    distinct_id: 'user-1',
    $device_id: 'anonymous-1',
    $user_id: 'user-1',
    $insert_id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
  };

  it.each<[string, string, object]>([
    ['track', 'Order_Completed', PROPERTIES],
    [
      'page_view',
      'Page View',
      {
        ...PROPERTIES,
        name: 'Cart',
        $current_url: 'https://shop.example/cart?step=2',
        $referrer: 'https://search.example/',
      },
    ],
    ['screen_view', 'Screen View', { ...PROPERTIES, name: 'Cart' }],
  ])('%s is %s', async (eventType, name, properties) => {
    const outgoing = event(eventType);
    expect(await sending.send(outgoing)).toMatchObject([{ kind: 'delivered' }]);
    const { timeMs: time } = identityOf(outgoing);
    expect(taken()).toEqual([{ event: name, properties: { ...properties, ...IDENTITY, time } }]);
  });

  it('names the device alone where the user is not known', async () => {
    await sending.send(event('track', { event: { userId: undefined } }));
    expect(taken()[0]?.properties).toMatchObject({
      distinct_id: 'anonymous-1',
      $device_id: 'anonymous-1',
    });
    expect(taken()[0]?.properties).not.toHaveProperty('$user_id');
  });

  it('sets the profile of the user', async () => {
    expect(await sending.send(event('set_profile'))).toMatchObject([{ kind: 'delivered' }]);
    expect(vendor.profiles).toEqual([
      {
        $token: TOKEN,
        $distinct_id: 'user-1',
        $set: { email: 'ada@example.com', plan: 'free' },
      },
    ]);
    expect(sending.vendorStub.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  it('never has events and profiles in one request', async () => {
    const events = [event('track', {}, 1), event('track', {}, 2), event('set_profile', {}, 3)];
    expect(await sending.send(...events)).toHaveLength(2);
    expect(await sending.send(...events.slice(2))).toHaveLength(1);
  });

  it('is taken once when it is sent again', async () => {
    const outgoing = event('track');
    await sending.send(outgoing);
    await sending.send(outgoing);
    expect(sending.vendorStub.requests).toHaveLength(2);
    expect(taken()).toHaveLength(1);
  });

  it('is at most 2,000 records and 2 MB', async () => {
    const many = Array.from({ length: 2_001 }, (_, n) => event('track', {}, n));
    expect(await sending.send(...many)).toHaveLength(2_000);
    const properties = { text: 'x'.repeat(900_000) };
    const large = [1, 2, 3].map((n) => event('track', { event: { properties } }, n));
    expect(await sending.send(...large)).toHaveLength(2);
  });

  it('delivers the good records of a request whose others fail', async () => {
    const future = new Date(Date.now() + 7_200_000).toISOString();
    const events = [
      event('track', {}, 1),
      event('track', { event: { timestamp: future } }, 2),
      event('track', { event: { userId: 'anonymous' } }, 3),
      event('track', {}, 4),
    ];
    expect(await sending.send(...events)).toEqual([
      { kind: 'delivered' },
      {
        kind: 'rejected',
        status: 400,
        reason: "answered 400: 'properties.time' is invalid",
      },
      {
        kind: 'rejected',
        status: 400,
        reason: "answered 400: 'properties.distinct_id' is invalid",
      },
      { kind: 'delivered' },
    ]);
    expect(taken()).toHaveLength(2);
  });

  it.each([
    ['', 'answered 400'],
    ['<html>', 'answered 400: <html>'],
    ['{"failed_records":[]}', 'answered 400: {"failed_records":[]}'],
    ['{"failed_records":[7,{"index":"0"}]}', 'answered 400: {"failed_records":[7,{"index":"0"}]}'],
    ['{"failed_records":[{"index":2}]}', 'answered 400: {"failed_records":[{"index":2}]}'],
  ])('is rejected as a whole when the answer is 400 with %j', async (body, reason) => {
    sending.vendorStub.next(answer(400, body));
    const rejected = { kind: 'rejected', status: 400, reason };
    expect(await sending.send(event('track', {}, 1), event('track', {}, 2))).toEqual([
      rejected,
      rejected,
    ]);
  });

  it.each([
    ['0', 'no record was valid'],
    ['{"status":0,"error":"bad token secret-project-token"}', 'bad token ••••'],
  ])('is rejected when the answer is 200 with %j', async (body, reason) => {
    sending.vendorStub.next(answer(200, body));
    expect(await sending.send(event('set_profile'))).toEqual([
      { kind: 'rejected', status: 200, reason: `answered 200: ${reason}` },
    ]);
  });

  it.each(['1', '{"status":1,"error":null}', ''])(
    'is delivered when the answer is 200 with %j',
    async (body) => {
      sending.vendorStub.next(answer(200, body));
      expect(await sending.send(event('set_profile'))).toMatchObject([{ kind: 'delivered' }]);
    },
  );

  it('is rejected as a whole when it is too large, whatever Mixpanel reports per record', async () => {
    sending.vendorStub.next(answer(413, '{"failed_records":[{"index":0}]}'));
    const outcomes = await sending.send(event('track', {}, 1), event('track', {}, 2));
    expect(outcomes.map(({ kind }) => kind)).toEqual(['rejected', 'rejected']);
  });

  it('is tried again as a whole when Mixpanel is busy, whatever it reports per record', async () => {
    const failed_records = [{ index: 0, message: 'busy' }];
    sending.vendorStub.next(answer(503, JSON.stringify({ failed_records })));
    const outcomes = await sending.send(event('track', {}, 1), event('track', {}, 2));
    expect(outcomes.map(({ kind }) => kind)).toEqual(['unavailable', 'unavailable']);
  });

  it('shows no secret of a failed record', async () => {
    const record = { index: 0, message: `bad ${TOKEN} ${CREDENTIALS}` };
    sending.vendorStub.next(answer(400, JSON.stringify({ failed_records: [record] })));
    expect(await sending.send(event('track'))).toEqual([
      { kind: 'rejected', status: 400, reason: 'answered 400: bad •••• ••••' },
    ]);
  });
});

it.each<[string, string, object]>([
  ['properties must be a JSON object', 'track', { event: { properties: [] } }],
  ['set must be a JSON object', 'set_profile', { mapping: { set: 'json_parse("null")' } }],
  ['set must be a JSON object', 'set_profile', { mapping: { set: 'json_parse("[]")' } }],
])('refuses with %j: %s %j', (message, eventType, more) => {
  const refused = event(eventType, more);
  expect(() => destination.preview(refused, to('https://example.com'))).toThrow(
    new EventRefused(message),
  );
});

it.each([
  [{}, 'https://api.mixpanel.com/import?strict=1&project_id=1234567'],
  [{ dataResidency: 'US' }, 'https://api.mixpanel.com/import?strict=1&project_id=1234567'],
  [{ dataResidency: 'EU' }, 'https://api-eu.mixpanel.com/import?strict=1&project_id=1234567'],
  [{ dataResidency: 'IN' }, 'https://api-in.mixpanel.com/import?strict=1&project_id=1234567'],
  [{ projectID: 'a&b' }, 'https://api.mixpanel.com/import?strict=1&project_id=a%26b'],
])('with %j sends to %s', (more, url) => {
  const preview = destination.preview(event('track'), settings({ ...given, ...more }));
  expect(preview.split('\n')[0]).toBe(`POST ${url}`);
});

it.each<[string, object]>([
  ['/projectID', { projectToken: 't' }],
  ['/projectID', { ...given, projectID: '' }],
  ['/projectID', { ...given, projectID: 'x'.repeat(101) }],
  ['/projectToken', { projectID: 'p' }],
  ['/projectToken', { ...given, projectToken: '' }],
  ['/projectToken', { ...given, projectToken: 'x'.repeat(101) }],
  ['/dataResidency', { ...given, dataResidency: 'CN' }],
  ['/baseURL', { ...given, baseURL: 'https://example.com?' }],
])('%s is bad in %j', (path, bad) => {
  expect(badPaths(mixpanelConnector, bad)).toEqual([path]);
});

it('keeps data in the US by default', () => {
  const longest = { projectID: 'x'.repeat(100), projectToken: 'y'.repeat(100) };
  expect(checked(mixpanelConnector, longest)).toEqual({ ...longest, dataResidency: 'US' });
});
