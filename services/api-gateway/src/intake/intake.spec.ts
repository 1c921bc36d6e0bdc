import { createHmac } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { eventCodec, TOPIC } from '@penstock/contracts';
import { LogOverloaded, LogUnavailable } from '@penstock/messaging';
import { newWriteKey } from '@penstock/runtime';
import { type Answered, jsonOf, send, type Sent } from '../testing/http.fixture';
import { organization, source } from '../testing/installation.fixture';
import { IntakeStand } from '../testing/intake.fixture';

const stand = new IntakeStand();
const server = source('nodejs');
const browser = source('javascript');
const secret = 'a secret of the sender';
const webhook = source('webhook', `{"signature":{"header":"X-Signature","secret":"${secret}"}}`);
const deleted = source('nodejs', '{}', { deleted: true });
const destination = source('http', '{"url":"https://example.com"}', { role: 'Destination' });
stand.configure(server.state, browser.state, webhook.state, deleted.state, destination.state);

beforeAll(() => stand.start());
afterAll(() => stand.stop());
afterEach(() => {
  stand.log.failure = undefined;
  stand.configure(organization());
});

const PAGE = '{"type":"page","userId":"u"}';
const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });
const basic = (key: string) => ({
  Authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}`,
});

const post = (path: string, sent: Sent = {}): Promise<Answered> =>
  send(stand.url(path), { headers: bearer(server.key), body: PAGE, ...sent });

const lastEvent = () => JSON.parse(stand.eventTexts().at(-1) ?? '') as Record<string, unknown>;
const count = () => stand.log.recordsOf(TOPIC.events).length;

it.each([
  ['a connector', source('nodejs', '{}', { connector: 'of-another-version' })],
  ['a setting', source('nodejs', '{"ofAnotherVersion":true}')],
])(
  'a source with %s that this version does not know is to be tried again, not unknown',
  async (_, other) => {
    stand.configure(other.state);
    const answered = await post('/v1/events', { headers: bearer(other.key) });
    expect(answered.status).toBe(503);
    expect(answered.headers['retry-after']).toBeDefined();
  },
);

describe('keys', () => {
  const unknown = newWriteKey();
  type Row = [title: string, path: string, sent: Sent, status: number];
  const ROWS: Row[] = [
    ['Bearer', '/v1/events', { headers: bearer(server.key) }, 200],
    [
      'bearer in lower case',
      '/v1/events',
      { headers: { Authorization: `bearer ${server.key}` } },
      200,
    ],
    ['Basic with the key as user', '/v1/events', { headers: basic(server.key) }, 200],
    ['query', `/v1/events?writeKey=${server.key}`, { headers: {} }, 200],
    [
      'beacon with query',
      `/beacon/v1/batch?writeKey=${server.key}`,
      { headers: {}, body: `[${PAGE}]` },
      200,
    ],
    [
      'body of a batch',
      '/v1/batch',
      { headers: {}, body: `{"writeKey":"${server.key}","batch":[${PAGE}]}` },
      200,
    ],
    [
      'body of one event',
      '/v1/p',
      { headers: {}, body: `{"writeKey":"${server.key}","userId":"u"}` },
      200,
    ],
    ['none', '/v1/events', { headers: {} }, 401],
    ['empty query', '/v1/events?writeKey=', { headers: {} }, 401],
    ['no form of a key', '/v1/events', { headers: bearer('x') }, 401],
    ['unknown', '/v1/events', { headers: bearer(unknown) }, 401],
    [
      'unknown, in the body',
      '/v1/events',
      { headers: {}, body: `{"writeKey":"${unknown}","batch":[]}` },
      401,
    ],
    ['a number in the body', '/v1/events', { headers: {}, body: '{"writeKey":5,"batch":[]}' }, 401],
    ['other scheme', '/v1/events', { headers: { Authorization: `Digest ${server.key}` } }, 401],
    ['of a deleted connection', '/v1/events', { headers: bearer(deleted.key) }, 401],
    ['of a destination', '/v1/events', { headers: bearer(destination.key) }, 401],
    [
      'bad header before a good query',
      `/v1/events?writeKey=${server.key}`,
      { headers: bearer(unknown) },
      401,
    ],
    [
      'bad query before a good body',
      `/v1/events?writeKey=${unknown}`,
      { headers: {}, body: `{"writeKey":"${server.key}","batch":[]}` },
      401,
    ],
    ['bad path', `/v1/webhooks/${unknown}`, { headers: bearer(server.key) }, 401],
    ['before the body is looked at', '/v1/events', { headers: bearer(unknown), body: '{' }, 401],
  ];

  it.each(ROWS)('%s', async (_, path, sent, status) => {
    const answered = await post(path, sent);
    expect(answered.status).toBe(status);
    if (status === 401)
      expect(jsonOf(answered)).toEqual({
        code: 'Unauthorized',
        message: 'Authorization header is missing or invalid',
        error: { code: 'Unauthorized', message: 'Authorization header is missing or invalid' },
      });
  });
});

describe('bodies that are refused as a whole', () => {
  const deep = (depth: number) =>
    `{"type":"page","userId":"u","x":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
  const gzip = { ...bearer(server.key), 'Content-Encoding': 'gzip' };
  const type = (contentType: string) => ({ ...bearer(server.key), 'Content-Type': contentType });
  type Row = [title: string, sent: Sent, status: number, code: string, path?: string];
  const ROWS: Row[] = [
    ['not JSON', { body: '{"type":' }, 400, 'BadRequest', ''],
    ['empty', { body: '' }, 400, 'BadRequest', ''],
    ['a scalar', { body: '5' }, 400, 'BadRequest', ''],
    ['more than one value', { body: `${PAGE}${PAGE}` }, 400, 'BadRequest', ''],
    [
      'repeated member in properties',
      { body: '{"type":"page","userId":"u","properties":{"a":{"b":1,"b":2}}}' },
      400,
      'BadRequest',
      '',
    ],
    [
      'repeated member, one spelled with an escape',
      { body: '{"type":"page","userId":"u","x":{"ab":1,"\\u0061b":2}}' },
      400,
      'BadRequest',
      '',
    ],
    ['bytes that are not UTF-8', { body: Buffer.from([0x22, 0xff, 0x22]) }, 400, 'BadRequest', ''],
    ['depth of 33', { body: deep(33) }, 400, 'BadRequest', ''],
    ['batch that is no array', { body: '{"batch":5}' }, 400, 'BadRequest', '/batch'],
    ['sentAt of the batch', { body: '{"batch":[],"sentAt":"x"}' }, 400, 'BadRequest', '/sentAt'],
    ['context of the batch', { body: '{"batch":[],"context":[]}' }, 400, 'BadRequest', '/context'],
    [
      'context of the batch too long',
      { body: `{"batch":[],"context":{"x":"${'x'.repeat(32_768)}"}}` },
      400,
      'BadRequest',
      '/context',
    ],
    [
      'gzip that is cut off',
      { headers: gzip, body: gzipSync(PAGE).subarray(0, -9) },
      400,
      'BadRequest',
      '',
    ],
    ['gzip that is none', { headers: gzip, body: PAGE }, 400, 'BadRequest', ''],
    [
      'unknown encoding',
      { headers: { ...bearer(server.key), 'Content-Encoding': 'br' } },
      415,
      'UnsupportedMediaType',
    ],
    [
      'charset',
      { headers: type('application/json; charset=iso-8859-1') },
      415,
      'UnsupportedMediaType',
    ],
    [
      'Content-Length over the limit',
      { body: Buffer.alloc(4_194_305, ' ') },
      413,
      'PayloadTooLarge',
    ],
    [
      'gzip over the limit',
      { headers: gzip, body: gzipSync(Buffer.alloc(4_194_305, ' ')) },
      413,
      'PayloadTooLarge',
    ],
    [
      'chunks over the limit',
      {
        body: undefined,
        chunks: Array.from({ length: 65 }, () => Buffer.alloc(65_536, ' ')),
      } as unknown as Sent,
      413,
      'PayloadTooLarge',
    ],
    [
      'size before the key',
      { headers: {}, body: Buffer.alloc(4_194_305, ' ') },
      413,
      'PayloadTooLarge',
    ],
    [
      'charset before the key',
      { headers: { 'Content-Type': 'text/plain; charset=latin1' } },
      415,
      'UnsupportedMediaType',
    ],
  ];

  it.each(ROWS)('%s', async (...[, sent, status, code, path]) => {
    const before = count();
    const answered = await post('/v1/events', sent);
    expect(answered.status).toBe(status);
    expect(jsonOf(answered)).toMatchObject({
      code,
      error: { code, ...(path !== undefined && { details: [{ path }] }) },
    });
    expect(count()).toBe(before);
  });

  const TAKEN: [title: string, sent: Sent][] = [
    ['depth of 32', { body: deep(32) }],
    ['gzip', { headers: gzip, body: gzipSync(PAGE) }],
    ['identity', { headers: { ...bearer(server.key), 'Content-Encoding': 'identity' } }],
    ['charset in quotes and capitals', { headers: type('text/html; Charset="UTF-8"') }],
    ['byte order mark', { body: `\ufeff${PAGE}` }],
    ['body of exactly the limit', { body: PAGE.padEnd(4_194_304) }],
    [
      'chunks',
      {
        body: undefined,
        chunks: [Buffer.from(PAGE.slice(0, 9)), Buffer.from(PAGE.slice(9))],
      } as unknown as Sent,
    ],
    [
      'context of the batch of exactly the limit',
      { body: `{"batch":[${PAGE}],"context":{"x":"${'x'.repeat(32_760)}"}}` },
    ],
  ];

  it.each(TAKEN)('%s is accepted', async (_, sent) => {
    expect(await post('/v1/events', sent)).toMatchObject({ status: 200, text: '{"accepted":1}' });
  });

  it('accepts 20,000 events and not one more', async () => {
    const many = (events: number) => `[${Array.from({ length: events }, () => PAGE).join()}]`;
    expect(await post('/v1/events', { body: many(20_000) })).toMatchObject({
      text: '{"accepted":20000}',
    });
    expect(await post('/v1/events', { body: many(20_001) })).toMatchObject({ status: 400 });
  });
});

describe('events that are rejected', () => {
  const sized = (bytes: number) => {
    const head = '{"type":"page","userId":"u","messageId":"m","x":"';
    return `${head}${'x'.repeat(bytes - head.length - 2)}"}`;
  };
  type Row = [title: string, event: string, path: string, code?: string];
  const ROWS: Row[] = [
    ['no object', '5', ''],
    ['no id at all', '{"type":"page"}', ''],
    ['no type', '{"userId":"u"}', '/type'],
    ['empty type', '{"type":"","userId":"u"}', '/type'],
    ['unknown type', '{"type":"Track","userId":"u"}', '/type'],
    ['userId of another type', '{"type":"page","userId":5}', '/userId'],
    ['anonymousId that is an object', '{"type":"page","anonymousId":{}}', '/anonymousId'],
    ['NUL in userId', '{"type":"page","userId":"a\\u0000"}', '/userId'],
    ['lone surrogate in userId', '{"type":"page","userId":"\\ud800x"}', '/userId'],
    [
      'NUL in properties',
      '{"type":"page","userId":"u","properties":{"a":["\\u0000"]}}',
      '/properties',
    ],
    [
      'lone surrogate in a name of traits',
      '{"type":"page","userId":"u","traits":{"\\udc00":1}}',
      '/traits',
    ],
    ['track without event', '{"type":"track","userId":"u"}', '/event'],
    ['event of another type', '{"type":"track","userId":"u","event":["E"]}', '/event'],
    ['group without groupId', '{"type":"group","userId":"u","groupId":null}', '/groupId'],
    ['alias without previousId', '{"type":"alias","userId":"u"}', '/previousId'],
    ['name of another type', '{"type":"page","userId":"u","name":5}', '/name'],
    ['channel of another type', '{"type":"page","userId":"u","channel":true}', '/channel'],
    ['properties that are an array', '{"type":"page","userId":"u","properties":[]}', '/properties'],
    ['properties that are a text', '{"type":"page","userId":"u","properties":"x"}', '/properties'],
    ['traits that are a number', '{"type":"page","userId":"u","traits":1}', '/traits'],
    [
      'integrations that are a boolean',
      '{"type":"page","userId":"u","integrations":false}',
      '/integrations',
    ],
    ['context that is an array', '{"type":"page","userId":"u","context":[]}', '/context'],
    ['sentAt', '{"type":"page","userId":"u","sentAt":"yesterday"}', '/sentAt'],
    [
      'originalTimestamp of the year 0',
      '{"type":"page","userId":"u","originalTimestamp":"0000-01-01T00:00:00Z"}',
      '/originalTimestamp',
    ],
    [
      'timestamp beside an originalTimestamp',
      '{"type":"page","userId":"u","originalTimestamp":"2024-01-01","timestamp":"x"}',
      '/timestamp',
    ],
    [
      'day that does not exist',
      '{"type":"page","userId":"u","timestamp":"2023-02-29T00:00:00Z"}',
      '/timestamp',
    ],
    [
      'time before the year 1 once corrected',
      '{"type":"page","userId":"u","timestamp":"0001-01-01","sentAt":"9999-12-31"}',
      '/timestamp',
    ],
    [
      'messageId of 256 characters',
      `{"type":"page","userId":"u","messageId":"${'x'.repeat(256)}"}`,
      '/messageId',
    ],
    ['messageId of another type', '{"type":"page","userId":"u","messageId":1}', '/messageId'],
    ['32,769 bytes', sized(32_769), '', 'EventTooLarge'],
  ];

  it.each(ROWS)('%s', async (_, event, path, code = 'InvalidEvent') => {
    const before = count();
    const alone = await post('/v1/events', { body: event.startsWith('{') ? event : `[${event}]` });
    const details = [expect.objectContaining({ index: 0, code, path })];
    expect(alone.status).toBe(400);
    expect(jsonOf(alone)).toMatchObject({
      code: 'BadRequest',
      error: { code: 'BadRequest', details },
    });
    expect(count()).toBe(before);
    const inBatch = await post('/v1/events', { body: `[${PAGE},${event}]` });
    expect(inBatch.status).toBe(200);
    expect(jsonOf(inBatch)).toMatchObject({ accepted: 1, rejected: [{ index: 1, code, path }] });
    expect(count()).toBe(before + 1);
  });

  it('reports the messageId of a rejected event when it is a text', async () => {
    const body = '[{"messageId":"m-1"},{"messageId":5}]';
    const { error } = jsonOf(await post('/v1/events', { body })) as {
      error: { details: { messageId?: string }[] };
    };
    expect(error.details.map(({ messageId }) => messageId)).toEqual(['m-1', undefined]);
  });

  it.each([
    ['32,768 bytes', sized(32_768)],
    [
      'messageId of 255 characters beyond the basic plane',
      `{"type":"page","userId":"u","messageId":"${'😀'.repeat(255)}"}`,
    ],
    [
      'members of other types, whatever they hold',
      '{"type":"page","userId":"u","groupId":5,"event":{"a":1},"previousId":"\\u0000"}',
    ],
  ])('%s is accepted', async (_, body) => {
    expect(await post('/v1/events', { body })).toMatchObject({
      status: 200,
      text: '{"accepted":1}',
    });
  });
});

describe('routes', () => {
  const LETTERS = { a: 'alias', g: 'group', i: 'identify', p: 'page', s: 'screen', t: 'track' };
  const complete = '{"userId":"u","event":"E","groupId":"g","previousId":"p"}';

  it.each(
    Object.entries(LETTERS).flatMap(([letter, type]) => [
      [`/v1/${letter}`, type],
      [`/v1/${type}`, type],
      [`/v1/events/${type}`, type],
    ]),
  )('%s accepts one %s', async (path, type) => {
    expect(await post(path, { body: complete })).toMatchObject({ status: 200 });
    expect(lastEvent()).toMatchObject({ type });
    expect(await post(path, { body: `[${complete}]` })).toMatchObject({ status: 400 });
    expect(await post(path, { body: `{"batch":[${complete}]}` })).toMatchObject({ status: 400 });
  });

  it.each(['/v1/batch', '/v1/b', '/beacon/v1/batch'])('%s accepts a batch', async (path) => {
    const body = `{"batch":[${PAGE},${PAGE}],"sentAt":"2024-01-01T00:00:00Z"}`;
    expect(await post(path, { body })).toMatchObject({ status: 200, text: '{"accepted":2}' });
    expect(await post(path, { body: PAGE })).toMatchObject({ status: 400 });
    expect(await post(path, { body: '{"batch":[]}' })).toMatchObject({
      status: 200,
      text: '{"accepted":0}',
    });
  });

  it.each([
    '/v1/events/',
    '/v1/webhooks/',
    '/v1/webhooks/a/b',
    '/v1/Events',
    '/v1/projects//settings',
  ])('%s is not a route of intake', async (path) => {
    expect(await post(path)).toMatchObject({ status: 404, text: 'not of intake' });
  });

  it.each([
    ['/v1/events', 'PUT', 'GET, HEAD, POST, OPTIONS'],
    ['/v1/t', 'PUT', 'POST, OPTIONS'],
    ['/sourceConfig', 'POST', 'GET, HEAD, OPTIONS'],
    [`/v1/projects/${server.key}/settings`, 'DELETE', 'GET, HEAD, OPTIONS'],
  ])('%s answers %s with 405', async (path, method, allow) => {
    const answered = await send(stand.url(path), { method });
    expect(answered).toMatchObject({ status: 405, headers: { allow } });
    expect(jsonOf(answered)).toMatchObject({ code: 'MethodNotAllowed' });
  });

  it('answers preflight requests of every origin with the requested headers', async () => {
    const headers = {
      Origin: 'https://shop.example',
      'Access-Control-Request-Headers': 'authorization,x-any',
    };
    const preflight = await send(stand.url('/v1/t'), { method: 'OPTIONS', headers });
    expect(preflight).toMatchObject({
      status: 204,
      headers: {
        'access-control-allow-origin': '*',
        'access-control-allow-headers': 'authorization,x-any',
        'access-control-allow-methods': 'POST, OPTIONS',
      },
    });
    expect(preflight.headers).not.toHaveProperty('access-control-allow-credentials');
    expect((await post('/v1/events')).headers).toMatchObject({
      'access-control-allow-origin': '*',
    });
    expect((await post('/v1/events', { body: '{' })).headers).toMatchObject({
      'access-control-allow-origin': '*',
    });
  });

  it("answers the settings request of Segment's browser SDK", async () => {
    const answered = await send(stand.url(`/v1/projects/${browser.key}/settings`), {
      method: 'GET',
    });
    const apiHost = `127.0.0.1:${stand.port}/v1`;
    expect(jsonOf(answered)).toMatchObject({
      integrations: { 'Segment.io': { apiKey: browser.key, apiHost, protocol: 'http' } },
    });
  });

  it.each(['/sourceConfig', '/sourceConfig/'])(
    "answers the settings request of RudderStack's browser SDK on %s",
    async (path) => {
      const answered = { source: { id: browser.state.id, enabled: true, destinations: [] } };
      const query = await send(stand.url(`${path}?writeKey=${browser.key}`), { method: 'GET' });
      expect(jsonOf(query)).toMatchObject(answered);
      const header = await send(stand.url(path), { method: 'GET', headers: basic(browser.key) });
      expect(jsonOf(header)).toMatchObject(answered);
      expect(await send(stand.url(path), { method: 'GET' })).toMatchObject({ status: 401 });
    },
  );

  it("sends a request id with every answer, the sender's when it is valid", async () => {
    expect((await post('/v1/events')).headers['request-id']).toMatch(/./);
    const headers = { ...bearer(server.key), 'Request-Id': 'mine-1' };
    expect((await post('/v1/events', { headers })).headers['request-id']).toBe('mine-1');
    const wild = { ...bearer(server.key), 'Request-Id': 'a b' };
    expect((await post('/v1/events', { headers: wild })).headers['request-id']).not.toBe('a b');
  });
});

describe('webhooks', () => {
  const signed = (body: string, key = secret) => ({
    'X-Signature': createHmac('sha256', key).update(body).digest('hex'),
  });
  const path = `/v1/webhooks/${webhook.key}`;

  it('accepts one event or an array, signed by the sender', async () => {
    expect(await post(path, { headers: signed(PAGE) })).toMatchObject({ text: '{"accepted":1}' });
    const many = `[${PAGE},${PAGE}]`;
    expect(await post(path, { headers: signed(many), body: many })).toMatchObject({
      text: '{"accepted":2}',
    });
  });

  it('verifies the signature of the decompressed body', async () => {
    const headers = { ...signed(PAGE), 'Content-Encoding': 'gzip' };
    expect(await post(path, { headers, body: gzipSync(PAGE) })).toMatchObject({ status: 200 });
  });

  it('refuses unsigned requests at every route', async () => {
    expect(await post(path, { headers: {} })).toMatchObject({ status: 401 });
    expect(await post(path, { headers: signed(PAGE, 'another') })).toMatchObject({ status: 401 });
    expect(await post('/v1/events', { headers: bearer(webhook.key) })).toMatchObject({
      status: 401,
    });
  });
});

describe('when events cannot be accepted', () => {
  it.each([
    ['the log is away', new LogUnavailable('away')],
    ['the log is full', new LogOverloaded('full')],
  ])('answers 503 when %s', async (_, failure) => {
    stand.log.failure = failure;
    const answered = await post('/v1/events');
    expect(answered.status).toBe(503);
    expect(jsonOf(answered)).toMatchObject({ code: 'ServiceUnavailable' });
    const seconds = Number(answered.headers['retry-after']);
    expect(seconds).toBeGreaterThanOrEqual(5);
    expect(seconds).toBeLessThanOrEqual(30);
  });

  it('does not reveal an unexpected error', async () => {
    stand.log.failure = new TypeError('the secret is out');
    const answered = await post('/v1/events');
    expect(answered.status).toBe(500);
    expect(jsonOf(answered)).toEqual({
      code: 'InternalError',
      message: 'internal error',
      error: { code: 'InternalError', message: 'internal error' },
    });
  });

  it('answers senders of a disabled organization 503, so that they keep their events', async () => {
    stand.configure(organization({ enabled: false }));
    const answered = await post('/v1/events');
    expect(answered.status).toBe(503);
    expect(answered.headers).toHaveProperty('retry-after');
    expect(jsonOf(answered)).toMatchObject({ message: 'organization is disabled' });
  });
});

describe('with a rate limit', () => {
  const limited = new IntakeStand({ eventRate: { perSecond: 1, burst: 2 } });
  limited.configure(server.state);
  beforeAll(() => limited.start());
  afterAll(() => limited.stop());

  it('answers 429 with the time to wait when the rate is exceeded', async () => {
    const sent = { headers: bearer(server.key), body: `[${PAGE},${PAGE},${PAGE}]` };
    expect(await send(limited.url('/v1/events'), sent)).toMatchObject({ status: 200 });
    const refused = await send(limited.url('/v1/events'), sent);
    expect(refused).toMatchObject({
      status: 429,
      headers: {
        'retry-after': expect.stringMatching(/^[12]$/) as string,
        'ratelimit-limit': '2',
        'ratelimit-remaining': '0',
      },
    });
    expect(jsonOf(refused)).toMatchObject({ code: 'TooManyRequests' });
  });
});

it('counts accepted, rejected and dropped events', async () => {
  const before = await stand.registry.getMetricsAsJSON();
  await post('/v1/events', {
    body: `[${PAGE},5,{"type":"page","userId":"u","context":{"ip":1,"locale":2}}]`,
  });
  const value = (metrics: typeof before, name: string, labels: object) =>
    metrics
      .find((metric) => metric.name === name)
      ?.values.find((each) => JSON.stringify(each.labels) === JSON.stringify(labels))?.value ?? 0;
  const after = await stand.registry.getMetricsAsJSON();
  const grown = (name: string, labels: object) =>
    value(after, name, labels) - value(before, name, labels);
  const connector = 'nodejs';
  expect(grown('penstock_intake_events_total', { connector, outcome: 'accepted' })).toBe(2);
  expect(grown('penstock_intake_events_total', { connector, outcome: 'InvalidEvent' })).toBe(1);
  expect(grown('penstock_intake_members_left_out_total', { connector })).toBe(2);
  expect(grown('penstock_intake_requests_total', { status: '200' })).toBe(1);
});

it('appends only events that the codec would write in the same way', () => {
  const texts = stand.eventTexts();
  expect(texts.length).toBeGreaterThan(50);
  for (const text of new Set(texts)) expect(eventCodec.encode(eventCodec.parse(text))).toBe(text);
});
