import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { breakOff, type RawRequest } from '../../harness/raw-request';
import { until } from '../../harness/until';
import {
  type ErrorBody,
  expectRefused,
  json,
  malformed as malformedRequest,
  NO_KEY,
  NO_METHOD,
  NONE,
  type Refused,
  TOO_LARGE,
  UNSUPPORTED,
} from '../refusal';
import { answers, type Run, type Table } from '../table';
import { type Answer, bearer, type Json, type World } from '../world';

type Row = [title: string, call: string, request: RawRequest, refused: Refused];

const malformed = (path: string): Refused => ({
  ...malformedRequest(path),
  message: /^request is not valid: ./,
});

const track = (members: object = {}): object => ({
  type: 'track',
  event: 'Bad',
  userId: 'ada',
  ...members,
});

/** A valid event of exactly `bytes` bytes. */
const eventOf = (bytes: number): string => {
  const empty = JSON.stringify(track({ properties: { text: '' } }));
  return JSON.stringify(track({ properties: { text: 'x'.repeat(bytes - empty.length) } }));
};

const LIMIT = 4_194_304;
const gzip = (text: string | Buffer): RawRequest => ({
  headers: { 'Content-Encoding': 'gzip' },
  body: gzipSync(text),
});

const REFUSED: Row[] = [
  ['no JSON', 'POST /v1/events', { body: '{"type":' }, malformed('')],
  ['no body', 'POST /v1/events', NONE, malformed('')],
  ['a string', 'POST /v1/events', { body: '"track"' }, malformed('')],
  ['no type', 'POST /v1/events', json({ userId: 'ada' }), malformed('/type')],
  ['a type that is none', 'POST /v1/events', json(track({ type: 'buy' })), malformed('/type')],
  ['a type that the path contradicts', 'POST /v1/events/page', json(track()), malformed('/type')],
  ['a track without event', 'POST /v1/track', json({ userId: 'ada' }), malformed('/event')],
  ['nobody', 'POST /v1/track', json({ event: 'A' }), malformed('')],
  [
    'a time that is none',
    'POST /v1/track',
    json(track({ timestamp: 'yesterday' })),
    malformed('/timestamp'),
  ],
  [
    'properties that are no object',
    'POST /v1/track',
    json(track({ properties: [] })),
    malformed('/properties'),
  ],
  [
    'a message id of 256 characters',
    'POST /v1/track',
    json(track({ messageId: 'm'.repeat(256) })),
    malformed('/messageId'),
  ],
  ['an event of 32,769 bytes', 'POST /v1/events', { body: eventOf(32_769) }, malformed('')],
  ['a batch of no array', 'POST /v1/batch', json({ batch: {} }), malformed('/batch')],
  [
    '20,001 events',
    'POST /v1/batch',
    { body: `{"batch":[${'{},'.repeat(20_000)}{}]}` },
    malformed(''),
  ],
  [
    'a body 33 deep',
    'POST /v1/events',
    { body: `${'['.repeat(33)}${']'.repeat(33)}` },
    malformed(''),
  ],
  [
    'broken gzip',
    'POST /v1/events',
    { headers: { 'Content-Encoding': 'gzip' }, body: 'no gzip' },
    malformed(''),
  ],
  [
    'gzip without its end',
    'POST /v1/events',
    {
      headers: { 'Content-Encoding': 'gzip' },
      body: gzipSync(JSON.stringify(track())).subarray(0, -9),
    },
    malformed(''),
  ],
  [
    'gzip that grows beyond the limit',
    'POST /v1/events',
    gzip(Buffer.alloc(LIMIT + 1, ' ')),
    TOO_LARGE,
  ],
  [
    'another encoding',
    'POST /v1/events',
    { headers: { 'Content-Encoding': 'br' }, body: 'x' },
    UNSUPPORTED,
  ],
  [
    'another charset',
    'POST /v1/events',
    { headers: { 'Content-Type': 'text/plain; charset=latin1' }, body: '{}' },
    UNSUPPORTED,
  ],
  ['a length over the limit', 'POST /v1/events', { body: Buffer.alloc(LIMIT + 1, ' ') }, TOO_LARGE],
  [
    'chunks beyond the limit',
    'POST /v1/events',
    { chunks: Array.from({ length: 5 }, () => Buffer.alloc(1_048_576, ' ')) },
    TOO_LARGE,
  ],
  ['another method', 'PUT /v1/events', NONE, NO_METHOD],
  ['no key', 'POST /v1/events', { ...json(track()), headers: { Authorization: '' } }, NO_KEY],
  [
    'an unknown key',
    'POST /v1/events',
    { ...json(track()), headers: { Authorization: `Bearer ${'0'.repeat(32)}` } },
    NO_KEY,
  ],
  [
    'a bad key beside a good one',
    'POST /v1/events?writeKey={writeKey}',
    { ...json(track()), headers: { Authorization: 'Bearer x' } },
    NO_KEY,
  ],
  [
    'an API key',
    'POST /v1/events',
    { ...json(track()), headers: { Authorization: `Bearer pk_${'0'.repeat(40)}` } },
    NO_KEY,
  ],
  [
    'order: size before content type',
    'POST /v1/events',
    {
      headers: { 'Content-Type': 'text/plain; charset=latin1' },
      body: Buffer.alloc(LIMIT + 1, ' '),
    },
    TOO_LARGE,
  ],
  [
    'order: content type before decoding',
    'POST /v1/events',
    {
      headers: { 'Content-Encoding': 'gzip', 'Content-Type': 'text/plain; charset=latin1' },
      body: 'no gzip',
    },
    UNSUPPORTED,
  ],
  [
    'order: content type before key',
    'POST /v1/events',
    {
      headers: { Authorization: 'Bearer x', 'Content-Type': 'text/plain; charset=latin1' },
      body: '{}',
    },
    UNSUPPORTED,
  ],
  [
    'order: key before JSON',
    'POST /v1/events',
    { headers: { Authorization: 'Bearer x' }, body: '{' },
    NO_KEY,
  ],
  [
    'order: JSON before key in the body',
    'POST /v1/events',
    { headers: { Authorization: '' }, body: '{"writeKey":"x",' },
    malformed(''),
  ],
  [
    'order: key in the body before events',
    'POST /v1/events',
    { ...json({ writeKey: 'x' }), headers: { Authorization: '' } },
    NO_KEY,
  ],
  [
    'a bad key in the path beside a good one',
    `POST /v1/webhooks/${'0'.repeat(32)}?writeKey={writeKey}`,
    json(track()),
    NO_KEY,
  ],
  ['an unknown key in the path', `POST /v1/webhooks/${'0'.repeat(32)}`, json(track()), NO_KEY],
];

const atIntake = (
  world: World,
  call: string,
  { headers, ...request }: RawRequest,
): Promise<Answer> =>
  world.ask(call, { ...request, headers: { ...bearer(world.ids.writeKey), ...headers } });

const refusesAtIntake =
  ([, call, request, refused]: Row): Run =>
  async (world) => {
    const answer = await atIntake(world, call, request);
    expectRefused(answer, refused);
    const { code, message, error } = JSON.parse(answer.text) as ErrorBody & ErrorBody['error'];
    expect({ code, message }).toEqual({ code: error.code, message: error.message });
  };

const EVENT = JSON.stringify(track());

const ACCEPTED: [
  title: string,
  call: string,
  request: (key: string) => RawRequest,
  accepted: number,
][] = [
  ['an event of 32,768 bytes', 'POST /v1/events', () => ({ body: eventOf(32_768) }), 1],
  ['gzip', 'POST /v1/events', () => gzip(EVENT), 1],
  [
    'chunks',
    'POST /v1/events',
    () => ({ chunks: Array.from(EVENT, (each) => Buffer.from(each)) }),
    1,
  ],
  [
    'any media type',
    'POST /v1/events',
    () => ({ headers: { 'Content-Type': 'image/png' }, body: EVENT }),
    1,
  ],
  ['4 MiB', 'POST /v1/events', () => ({ body: EVENT.padEnd(LIMIT) }), 1],
  ['an empty batch', 'POST /v1/batch', () => json({ batch: [] }), 0],
  ['unknown members', 'POST /v1/events', () => json(track({ color: 'red' })), 1],
  [
    'the key as the user of Basic',
    'POST /v1/events',
    (key) => ({
      headers: { Authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}` },
      body: EVENT,
    }),
    1,
  ],
  [
    'the key in the query',
    'POST /v1/events?writeKey={writeKey}',
    () => ({ headers: { Authorization: '' }, body: EVENT }),
    1,
  ],
  [
    'the key in the body',
    'POST /v1/events',
    (key) => ({
      headers: { Authorization: '' },
      body: JSON.stringify(track({ writeKey: key })),
    }),
    1,
  ],
  [
    'a webhook',
    'POST /v1/webhooks/{writeKey}',
    () => ({ headers: { Authorization: '' }, body: EVENT }),
    1,
  ],
];

const TYPES: Readonly<Record<string, object>> = {
  alias: { userId: 'ada', previousId: 'bob' },
  group: { userId: 'ada', groupId: 'g' },
  identify: { userId: 'ada' },
  page: { userId: 'ada' },
  screen: { userId: 'ada' },
  track: { userId: 'ada', event: 'Bad' },
};

/** Each route with a minimal valid body. */
const ROUTES: Readonly<Record<string, object>> = {
  '/v1/events': { type: 'track', ...TYPES['track'] },
  ...Object.fromEntries(
    Object.entries(TYPES).flatMap(([type, members]) =>
      [`/v1/events/${type}`, `/v1/${type}`, `/v1/${type.charAt(0)}`].map((path) => [path, members]),
    ),
  ),
  ...Object.fromEntries(
    ['/v1/batch', '/v1/b', '/beacon/v1/batch'].map((path) => [path, { batch: [track()] }]),
  ),
};

/** Checks the members of an event as the application receives it. */
const becomes =
  (sent: object, members: Json, absent: readonly string[] = []): Run =>
  async (world) => {
    const messageId = randomUUID();
    const { key } = await wholeFlow(world);
    const answer = await world.ask('POST /v1/events', {
      headers: bearer(key),
      body: JSON.stringify({ userId: 'ada', messageId, ...sent }),
    });
    expect(answer.status).toBe(200);
    const ofEvent = () =>
      world.receiver.delivered.find(({ body }) => body['messageId'] === messageId);
    await until('the event arrives', () => ofEvent() !== undefined);
    const { body = {} } = ofEvent() ?? {};
    expect(body).toMatchObject(members);
    for (const member of absent) expect(body).not.toHaveProperty(member);
  };

const flows = new WeakMap<World, Promise<{ readonly source: string; readonly key: string }>>();

/** A flow that delivers complete events, shared by all rows. */
const wholeFlow = (world: World) => {
  const made = flows.get(world) ?? makeWholeFlow(world);
  flows.set(world, made);
  return made;
};

const makeWholeFlow = async (world: World) => {
  const destination = await world.made('POST /v1/connections', {
    name: 'Whole',
    role: 'Destination',
    connector: 'http',
    settings: { url: world.receiver.url },
  });
  const source = await world.made('POST /v1/connections', {
    name: 'S',
    role: 'Source',
    connector: 'nodejs',
    linkedConnections: [destination],
  });
  await world.made('POST /v1/pipelines', {
    name: 'Whole',
    connection: destination,
    target: 'Event',
    eventType: 'send_event',
    enabled: true,
  });
  const { keys } = await world.done(`GET /v1/connections/${source}/event-write-keys`);
  return { source, key: String((keys as string[])[0]) };
};

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const aTime = expect.stringMatching(TIME) as string;
const TRACK = { type: 'track', event: 'Bought' };

/** A case for each rule of the reference on when a field of an event is present. */
const FIELDS: Readonly<Record<string, Run>> = {
  'connectionId is of the source': async (world) => {
    const { source } = await wholeFlow(world);
    await becomes({ ...TRACK, connectionId: 'mine' }, { connectionId: source })(world);
  },
  'anonymousId is always there': becomes(TRACK, {
    userId: 'ada',
    anonymousId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
  }),
  'userId is absent from an anonymous event': becomes(
    { ...TRACK, userId: undefined, anonymousId: 'visitor' },
    { anonymousId: 'visitor' },
    ['userId'],
  ),
  'channel and category': becomes(
    { type: 'page', channel: 'web', category: 'Docs', name: 'Start' },
    { channel: 'web', category: 'Docs', name: 'Start' },
  ),
  'context is left out when it is empty': becomes({ ...TRACK, context: {} }, {}, ['context']),
  'event is on track events only': becomes({ type: 'page', event: 'Bought' }, {}, ['event']),
  'event of a track event': becomes(TRACK, { event: 'Bought' }),
  'groupId is on group events only': becomes({ ...TRACK, groupId: 'g' }, {}, ['groupId']),
  'groupId of a group event': becomes({ type: 'group', groupId: 'g' }, { groupId: 'g' }),
  'name is on page and screen events only': becomes({ ...TRACK, name: 'Start' }, {}, ['name']),
  'name of a screen event': becomes({ type: 'screen', name: 'Start' }, { name: 'Start' }),
  'previousId of an alias event': becomes({ type: 'alias', previousId: 'b' }, { previousId: 'b' }),
  'properties of any type': becomes(
    { type: 'identify', properties: { a: 1 } },
    { properties: { a: 1 } },
  ),
  'traits are an empty object when there are none': becomes(TRACK, { traits: {} }),
  'traits of any type': becomes({ ...TRACK, traits: { a: 1 } }, { traits: { a: 1 } }),
  'the times are set and in UTC': becomes(
    { ...TRACK, timestamp: '2026-03-01T10:30:00+01:00' },
    {
      originalTimestamp: '2026-03-01T09:30:00Z',
      timestamp: aTime,
      sentAt: aTime,
      receivedAt: aTime,
    },
  ),
  'receivedAt is of the service': becomes(
    { ...TRACK, receivedAt: '2020-01-01T00:00:00Z' },
    { receivedAt: expect.not.stringContaining('2020-01-01') as string },
  ),
  'browser.other is there when browser.name is Other': becomes(
    { ...TRACK, context: { browser: { name: 'Netscape' } } },
    { context: { browser: { name: 'Other', other: 'Netscape' } } },
  ),
  'browser.other is only there then': becomes(
    { ...TRACK, context: { browser: { name: 'Safari', other: 'Netscape' } } },
    { context: { browser: { name: 'Safari' } } },
    ['context.browser.other'],
  ),
  'os.other is there when os.name is Other': becomes(
    { ...TRACK, context: { os: { name: 'BeOS' } } },
    { context: { os: { name: 'Other', other: 'BeOS' } } },
  ),
  'screen.width of 16 bits': becomes(
    { ...TRACK, context: { screen: { width: 32_767, height: 32_768 } } },
    { context: { screen: { width: 32_767 } } },
    ['context.screen.height'],
  ),
  'screen.density to 9.99': becomes(
    { ...TRACK, context: { screen: { density: 9.99 } } },
    { context: { screen: { density: 9.99 } } },
  ),
  'screen.density not of 10': becomes({ ...TRACK, context: { screen: { density: 10 } } }, {}, [
    'context',
  ]),
  'screen.density not of 0': becomes({ ...TRACK, context: { screen: { density: 0 } } }, {}, [
    'context',
  ]),
};

const takesAtIntake =
  ([, call, request, accepted]: (typeof ACCEPTED)[number]): Run =>
  async (world) => {
    const answer = await atIntake(world, call, request(world.ids.writeKey));
    expect({ status: answer.status, ...answer.json }).toEqual({ status: 200, accepted });
  };

const byTitle = <T extends readonly [string, ...unknown[]]>(
  rows: readonly T[],
  run: (row: T) => Run,
): Record<string, Run> => Object.fromEntries(rows.map((row) => [row[0], run(row)]));

const ofMessage = (messageId: string): object => track({ event: 'Good', messageId });

export const INTAKE: Table = {
  'every route takes its events': {
    ...Object.fromEntries(
      Object.entries(ROUTES).map(([path, body]): [string, Run] => [
        path,
        async (world) => {
          const answer = await atIntake(world, `POST ${path}`, json(body));
          expect({ status: answer.status, ...answer.json }).toEqual({ status: 200, accepted: 1 });
        },
      ]),
    ),
    ...Object.fromEntries(
      ['/v1/projects/{writeKey}/settings', '/sourceConfig?writeKey={writeKey}'].map((path) => [
        path,
        answers(`GET ${path}`, { headers: { Authorization: '' } }, {}),
      ]),
    ),
  },
  'CORS: a preflight is answered with what it asks for, to any origin': async (world) => {
    const { status, headers } = await world.ask('OPTIONS /v1/events', {
      headers: {
        Authorization: '',
        Origin: 'https://shop.example.com',
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'authorization,x-mine',
      },
    });
    expect([200, 204]).toContain(status);
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-headers': 'authorization,x-mine',
    });
    expect(headers).not.toHaveProperty('access-control-allow-credentials');
  },
  'event: which fields it has, and when': FIELDS,

  'intake refuses': byTitle(REFUSED, refusesAtIntake),
  'intake takes': byTitle(ACCEPTED, takesAtIntake),
  'a batch: its valid events are accepted, the others named': async (world) => {
    const batch = [
      ofMessage('first'),
      track({ event: '', messageId: 'second' }),
      5,
      eventOf(32_769),
    ];
    const body = `{"batch":[${batch.map((each) => (typeof each === 'string' ? each : JSON.stringify(each))).join()}]}`;
    const answer = await atIntake(world, 'POST /v1/batch', { body });
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({
      accepted: 1,
      rejected: [
        {
          index: 1,
          messageId: 'second',
          code: 'InvalidEvent',
          path: '/event',
          message: expect.any(String) as string,
        },
        { index: 2, code: 'InvalidEvent', path: '', message: expect.any(String) as string },
        { index: 3, code: 'EventTooLarge', path: '', message: expect.any(String) as string },
      ],
    });
    await world.arrival('first');
  },
  'nothing of what was refused or broken off is delivered': async (world) => {
    const head = `POST /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${world.ids.writeKey}\r\n`;
    const { address } = world.installation;
    await breakOff(address, `${head}Content-Length: 1000\r\n\r\n{"type":"track"`);
    await breakOff(address, `${head}Transfer-Encoding: chunked\r\n\r\n5\r\n{"typ`);
    const before = ofMessage('refused');
    const answer = await atIntake(world, 'POST /v1/events', json({ ...before, timestamp: 'x' }));
    expect(answer.status).toBe(400);
    const last = await atIntake(world, 'POST /v1/events', json(ofMessage('last')));
    expect(last.status).toBe(200);
    await world.arrival('last');
    const delivered = world.receiver.delivered.map(({ body }) => body['id']);
    expect(delivered).not.toContain('refused');
  },
};
