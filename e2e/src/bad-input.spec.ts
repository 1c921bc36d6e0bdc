import { gzipSync } from 'node:zlib';
import { EmbeddedInstallation } from './harness/embedded-installation';
import { type Flow, makeFlow } from './harness/flow';
import { breakOff, type RawAnswer, type RawRequest, sendRaw } from './harness/raw-request';
import { Receiver } from './harness/receiver';
import { until } from './harness/until';

jest.setTimeout(120_000);

const FILTER = {
  logical: 'and',
  conditions: [{ property: 'event', operator: 'is', values: ['Good'] }],
};

let installation: EmbeddedInstallation;
let receiver: Receiver;
let flow: Flow;

beforeAll(async () => {
  [installation, receiver] = await Promise.all([EmbeddedInstallation.start(), Receiver.open()]);
  const mapping = 'map("id", messageId)';
  flow = await makeFlow(installation, { url: receiver.url, filter: FILTER, mapping });
});

afterAll(async () => {
  await installation.destroy();
  await receiver.close();
});

/** What stands for an id in a table: it is known only when the table is run. */
const filled = (text: string): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) =>
    name in flow ? flow[name as keyof Flow] : whole,
  );

/** The first of the details, where there are any. */
interface ErrorBody {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly details?: readonly { readonly path: string; readonly message: string }[];
  };
}

interface Refused {
  readonly status: number;
  readonly code: string;
  /** How the message begins. */
  readonly message: string;
  /** JSON pointer of the first detail. */
  readonly path?: string;
}

const expectRefused = (answer: RawAnswer, { status, code, message, path }: Refused): void => {
  expect(answer.headers['content-type']).toMatch(/^application\/json(; charset=utf-8)?$/);
  const { error } = JSON.parse(answer.text) as ErrorBody;
  expect({
    status: answer.status,
    code: error.code,
    message: error.message.slice(0, message.length),
    path: error.details?.[0]?.path,
  }).toEqual({ status, code, message, path });
};

type ApiRow = [title: string, call: string, request: RawRequest, refused: Refused];

const json = (value: unknown): RawRequest => ({
  headers: { 'Content-Type': 'application/json' },
  body: typeof value === 'string' ? value : JSON.stringify(value),
});

const NONE: RawRequest = {};

const malformed = (path: string): Refused => ({
  status: 400,
  code: 'BadRequest',
  message: 'request is not valid',
  path,
});

const absent = (code: string, message: string): Refused => ({ status: 404, code, message });

const NO_CONNECTION = absent('ConnectionNotExist', 'connection does not exist');
const NO_PIPELINE = absent('PipelineNotExist', 'pipeline does not exist');
const NO_KEY = {
  status: 401,
  code: 'Unauthorized',
  message: 'Authorization header is missing or invalid',
};
const TOO_LARGE = { status: 413, code: 'PayloadTooLarge', message: 'request body is too large' };
const UNSUPPORTED = {
  status: 415,
  code: 'UnsupportedMediaType',
  message: 'content type is not supported',
};

const OUT_SCHEMA = {
  kind: 'object',
  properties: [{ name: 'properties', type: { kind: 'json' }, createRequired: true }],
};

const PIPELINE = {
  name: 'P',
  connection: '{destination}',
  target: 'Event',
  eventType: 'send_values',
  transformation: { mapping: { properties: 'properties' } },
  outSchema: OUT_SCHEMA,
};

const condition = (property: string, operator: string, ...values: string[]): object => ({
  logical: 'and',
  conditions: [{ property, operator, values }],
});

const ROUTES: ApiRow[] = [
  ['an unknown route', 'GET /v1/nothing', NONE, absent('NotFound', 'route does not exist')],
  [
    'another method',
    'PATCH /v1/pipelines',
    NONE,
    { status: 405, code: 'MethodNotAllowed', message: 'method is not allowed' },
  ],
];

const KEYS: ApiRow[] = [
  ['no key', 'GET /v1/pipelines', { headers: { Authorization: '' } }, NO_KEY],
  ['another scheme', 'GET /v1/pipelines', { headers: { Authorization: 'Basic cGs6' } }, NO_KEY],
  [
    'an unknown key, before anything about the body',
    'POST /v1/pipelines',
    { headers: { Authorization: `Bearer pk_${'0'.repeat(40)}` }, body: '{' },
    NO_KEY,
  ],
];

const BODIES: ApiRow[] = [
  ['no JSON', 'POST /v1/pipelines', json('{"name":'), malformed('/name')],
  ['no body', 'POST /v1/pipelines', NONE, malformed('')],
  ['an array', 'POST /v1/pipelines', json([]), malformed('')],
  [
    'bytes that are not UTF-8',
    'POST /v1/pipelines',
    { ...json(''), body: Buffer.from([34, 255, 34]) },
    malformed(''),
  ],
  [
    'a repeated member',
    'POST /v1/connections',
    json('{"name":"a","name":"b"}'),
    malformed('/name'),
  ],
  ['an unknown member', 'POST /v1/pipelines', json({ ...PIPELINE, nme: 1 }), malformed('/nme')],
  ['a missing member', 'PUT /v1/pipelines/{pipeline}/status', json({}), malformed('/enabled')],
  [
    'another media type',
    'POST /v1/pipelines',
    { headers: { 'Content-Type': 'text/plain' }, body: '{}' },
    UNSUPPORTED,
  ],
  ['no media type', 'POST /v1/pipelines', { body: '{}' }, UNSUPPORTED],
  [
    'another charset',
    'POST /v1/pipelines',
    { headers: { 'Content-Type': 'application/json; charset=latin1' }, body: '{}' },
    UNSUPPORTED,
  ],
  ['512,001 bytes', 'POST /v1/pipelines', json(' '.repeat(512_001)), TOO_LARGE],
  ['512,000 bytes, of nothing', 'POST /v1/pipelines', json(' '.repeat(512_000)), malformed('')],
  [
    'chunks beyond the limit',
    'POST /v1/pipelines',
    {
      headers: { 'Content-Type': 'application/json' },
      chunks: [Buffer.alloc(300_000, ' '), Buffer.alloc(300_000, ' ')],
    },
    TOO_LARGE,
  ],
];

const CONNECTIONS: ApiRow[] = [
  [
    'a name of another type',
    'POST /v1/connections',
    json({ name: 1, role: 'Source', connector: 'nodejs' }),
    malformed('/name'),
  ],
  [
    'a role that is none',
    'POST /v1/connections',
    json({ name: 'A', role: 'Both', connector: 'nodejs' }),
    malformed('/role'),
  ],
  [
    'an unknown connector',
    'POST /v1/connections',
    json({ name: 'A', role: 'Source', connector: 'abacus' }),
    { status: 422, code: 'ConnectorNotExist', message: 'connector does not exist' },
  ],
  [
    'settings that are not valid',
    'POST /v1/connections',
    json({
      name: 'A',
      role: 'Destination',
      connector: 'http',
      settings: { url: 'ftp://example.com' },
    }),
    {
      status: 422,
      code: 'InvalidSettings',
      message: 'settings are not valid',
      path: '/settings/url',
    },
  ],
  [
    'a link to nothing',
    'POST /v1/connections',
    json({ name: 'A', role: 'Source', connector: 'nodejs', linkedConnections: ['nothing000000'] }),
    {
      status: 422,
      code: 'LinkedConnectionNotExist',
      message: 'linked connection does not exist',
      path: '/linkedConnections/0',
    },
  ],
  ['a connection that is none', 'GET /v1/connections/nothing000000', NONE, NO_CONNECTION],
  ['an id that cannot be', 'GET /v1/connections/%00', NONE, NO_CONNECTION],
  [
    'a link from a destination',
    'POST /v1/connections/{destination}/links/{source}',
    NONE,
    NO_CONNECTION,
  ],
  [
    'write keys of a destination',
    'GET /v1/connections/{destination}/event-write-keys',
    NONE,
    NO_CONNECTION,
  ],
  [
    'a write key that is none',
    `DELETE /v1/connections/{source}/event-write-keys/${'0'.repeat(32)}`,
    NONE,
    absent('EventWriteKeyNotExist', 'key does not exist'),
  ],
  [
    'the last write key',
    'DELETE /v1/connections/{source}/event-write-keys/{writeKey}',
    NONE,
    {
      status: 422,
      code: 'SingleEventWriteKey',
      message: "key cannot be deleted as it is the connection's only key",
    },
  ],
  ['a limit of another type', 'GET /v1/connections?limit=many', NONE, malformed('/limit')],
];

const PIPELINES: ApiRow[] = [
  [
    'a name of 61 characters',
    'POST /v1/pipelines',
    json({ ...PIPELINE, name: '😀'.repeat(61) }),
    malformed('/name'),
  ],
  [
    'enabled as a string',
    'POST /v1/pipelines',
    json({ ...PIPELINE, enabled: 'yes' }),
    malformed('/enabled'),
  ],
  [
    'a connection that is none',
    'POST /v1/pipelines',
    json({ ...PIPELINE, connection: 'nothing000000' }),
    { status: 422, code: 'ConnectionNotExist', message: 'connection does not exist' },
  ],
  [
    'an event type that is none',
    'POST /v1/pipelines',
    json({ ...PIPELINE, eventType: 'send_nothing' }),
    { status: 422, code: 'EventTypeNotExist', message: 'connection does not have event type' },
  ],
  [
    'a filter on nothing',
    'POST /v1/pipelines',
    json({ ...PIPELINE, filter: condition('color', 'is', 'red') }),
    malformed('/filter/conditions/0/property'),
  ],
  [
    'an operator that is none',
    'POST /v1/pipelines',
    json({ ...PIPELINE, filter: condition('event', 'is like', 'A') }),
    malformed('/filter/conditions/0/operator'),
  ],
  [
    'a mapping that is no expression',
    'POST /v1/pipelines',
    json({ ...PIPELINE, transformation: { mapping: { properties: 'lower(' } } }),
    malformed('/transformation/mapping/properties'),
  ],
  [
    'a transformation without outSchema',
    'POST /v1/pipelines',
    json({ ...PIPELINE, outSchema: null }),
    malformed('/outSchema'),
  ],
  [
    'no transformation where one is needed',
    'POST /v1/pipelines',
    json({ ...PIPELINE, transformation: null, outSchema: null }),
    {
      status: 422,
      code: 'SchemaNotAligned',
      message: 'output schema is not aligned with the event type schema',
      path: '/outSchema',
    },
  ],
  [
    'another language',
    'POST /v1/pipelines',
    json({
      ...PIPELINE,
      transformation: {
        function: {
          source: 'x',
          language: 'Ruby',
          preserveJSON: false,
          inPaths: [],
          outPaths: ['properties'],
        },
      },
    }),
    {
      status: 422,
      code: 'UnsupportedLanguage',
      message: 'transformation language is not supported',
    },
  ],
  [
    'a member that an update does not have',
    'PUT /v1/pipelines/{pipeline}',
    json({ name: 'P', eventType: 'send_event' }),
    malformed('/eventType'),
  ],
  ['a pipeline that is none', 'GET /v1/pipelines/nothing000000', NONE, NO_PIPELINE],
  ['an id that cannot be', 'DELETE /v1/pipelines/%2F', NONE, NO_PIPELINE],
];

describe.each([
  { about: 'routes', rows: ROUTES },
  { about: 'keys', rows: KEYS },
  { about: 'bodies', rows: BODIES },
  { about: 'connections', rows: CONNECTIONS },
  { about: 'pipelines', rows: PIPELINES },
])('the API refuses, about $about', ({ rows }) => {
  it.each(rows)('%s', async (...[, call, { headers, body, ...request }, refused]) => {
    const [method = '', path = ''] = filled(call).split(' ');
    const answer = await sendRaw(`${installation.address}${path}`, {
      ...request,
      ...(body !== undefined && { body: typeof body === 'string' ? filled(body) : body }),
      method,
      headers: { Authorization: `Bearer ${installation.apiKey}`, ...headers },
    });
    expectRefused(answer, refused);
  });
});

const track = (members: object = {}): object => ({
  type: 'track',
  event: 'Bad',
  userId: 'ada',
  ...members,
});

/** A valid event of exactly so many bytes. */
const eventOf = (bytes: number): string => {
  const empty = JSON.stringify(track({ properties: { text: '' } }));
  return JSON.stringify(track({ properties: { text: 'x'.repeat(bytes - empty.length) } }));
};

const LIMIT = 4_194_304;
const gzip = (text: string | Buffer): RawRequest => ({
  headers: { 'Content-Encoding': 'gzip' },
  body: gzipSync(text),
});

type IntakeRow = [title: string, call: string, request: RawRequest, refused: Refused];

const INTAKE: IntakeRow[] = [
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
  [
    'another method',
    'GET /v1/events',
    NONE,
    { status: 405, code: 'MethodNotAllowed', message: 'method is not allowed' },
  ],
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
  ['an unknown key in the path', `POST /v1/webhooks/${'0'.repeat(32)}`, json(track()), NO_KEY],
];

const atIntake = (call: string, { headers, ...request }: RawRequest): Promise<RawAnswer> => {
  const [method = '', path = ''] = filled(call).split(' ');
  return sendRaw(`${installation.address}${path}`, {
    ...request,
    method,
    headers: { Authorization: `Bearer ${flow.writeKey}`, ...headers },
  });
};

describe('intake refuses', () => {
  it.each(INTAKE)('%s', async (...[, call, request, refused]) => {
    const answer = await atIntake(call, request);
    expectRefused(answer, refused);
    const { code, message, error } = JSON.parse(answer.text) as ErrorBody & ErrorBody['error'];
    expect({ code, message }).toEqual({ code: error.code, message: error.message });
  });
});

describe('intake takes', () => {
  const event = JSON.stringify(track());
  const basic = (): string => `Basic ${Buffer.from(`${flow.writeKey}:`).toString('base64')}`;

  it.each<[title: string, call: string, request: () => RawRequest, accepted: number]>([
    ['an event of 32,768 bytes', 'POST /v1/events', () => ({ body: eventOf(32_768) }), 1],
    ['gzip', 'POST /v1/events', () => gzip(event), 1],
    [
      'chunks',
      'POST /v1/events',
      () => ({ chunks: Array.from(event, (each) => Buffer.from(each)) }),
      1,
    ],
    [
      'any media type',
      'POST /v1/events',
      () => ({ headers: { 'Content-Type': 'image/png' }, body: event }),
      1,
    ],
    ['4 MiB', 'POST /v1/events', () => ({ body: event.padEnd(LIMIT) }), 1],
    ['an empty batch', 'POST /v1/batch', () => json({ batch: [] }), 0],
    ['unknown members', 'POST /v1/events', () => json(track({ color: 'red' })), 1],
    [
      'the key as the user of Basic',
      'POST /v1/events',
      () => ({ headers: { Authorization: basic() }, body: event }),
      1,
    ],
    [
      'the key in the query',
      'POST /v1/events?writeKey={writeKey}',
      () => ({ headers: { Authorization: '' }, body: event }),
      1,
    ],
    [
      'the key in the body',
      'POST /v1/events',
      () => ({
        headers: { Authorization: '' },
        body: JSON.stringify(track({ writeKey: flow.writeKey })),
      }),
      1,
    ],
    [
      'a webhook',
      'POST /v1/webhooks/{writeKey}',
      () => ({ headers: { Authorization: '' }, body: event }),
      1,
    ],
  ])('%s', async (...[, call, request, accepted]) => {
    const answer = await atIntake(call, request());
    expect({ status: answer.status, ...(JSON.parse(answer.text) as object) }).toEqual({
      status: 200,
      accepted,
    });
  });
});

it('accepts the valid events of a batch and names the others', async () => {
  const batch = [
    track({ event: 'Good', messageId: 'first' }),
    track({ event: '', messageId: 'second' }),
    5,
    eventOf(32_769),
  ];
  const body = `{"batch":[${batch.map((each) => (typeof each === 'string' ? each : JSON.stringify(each))).join()}]}`;
  const answer = await atIntake('POST /v1/batch', { body });
  expect(answer.status).toBe(200);
  expect(JSON.parse(answer.text)).toEqual({
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
});

it('goes on delivering after requests that broke off, and delivers nothing of what it refused', async () => {
  const head = `POST /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${flow.writeKey}\r\n`;
  await breakOff(installation.address, `${head}Content-Length: 1000\r\n\r\n{"type":"track"`);
  await breakOff(installation.address, `${head}Transfer-Encoding: chunked\r\n\r\n5\r\n{"typ`);
  const answer = await atIntake(
    'POST /v1/events',
    json(track({ event: 'Good', messageId: 'last' })),
  );
  expect(answer.status).toBe(200);
  await until('the good event arrives', () =>
    receiver.delivered.some(({ body }) => body['id'] === 'last'),
  );
  expect(
    receiver.delivered.filter(({ body }) => !['first', 'last'].includes(String(body['id']))),
  ).toEqual([]);
});
