import { Refusal } from '@penstock/contracts';
import { GatewayStand } from '../testing/gateway.fixture';
import { type Answered, jsonOf, send, type Sent } from '../testing/http.fixture';
import { apiKey, organization, seals, workspace, WORKSPACE } from '../testing/installation.fixture';

const reader = apiKey('read');
const writer = apiKey('write');
const stand = new GatewayStand();
const { pipelineService } = stand;

beforeAll(async () => {
  const apiKeys = [reader.record, writer.record];
  await stand.configure(organization({ apiKeys }), workspace());
  await stand.start();
});
afterAll(() => stand.stop());
beforeEach(() => {
  pipelineService.calls.length = 0;
});

const ask = (
  method: string,
  path: string,
  { headers, ...sent }: Sent = {},
  { key } = reader,
): Promise<Answered> =>
  send(stand.url(path), {
    method,
    headers: {
      Authorization: `Bearer ${key}`,
      ...(sent.body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...sent,
  });

const ID = 'object0000000001';
const at = (path: string): string => `/v1/connections/${ID}${path}`;
const encoded = (value: string): string => encodeURIComponent(value);

/** A schema with a number beyond a double's precision, in canonical form. */
const SCHEMA =
  '{"kind":"object","properties":[{"name":"n","type":{"kind":"int","bitSize":64,"maximum":9223372036854775806},"description":""}]}';
const EVENT = '{"properties":{"n":1.50,"m":12345678901234567890}}';

describe('schemas of the application', () => {
  it.each([
    [SCHEMA, `{"schema":${SCHEMA}}`],
    [null, '{"schema":null}'],
  ])('are returned for an event type, with every digit', async (schema, text) => {
    pipelineService.answer('GetEventTypeSchema', { schema });
    const answered = await ask('GET', at('/schemas/event?type=send%20event'));
    expect(answered).toMatchObject({ status: 200, text });
    expect(pipelineService.calls).toMatchObject([
      {
        name: 'GetEventTypeSchema',
        about: ID,
        in: { connection: ID, eventType: 'send event' },
        metadata: { caller: { workspace: WORKSPACE } },
      },
    ]);
  });

  it('are returned for users', async () => {
    pipelineService.answer('GetUserSchemas', { source: SCHEMA, destination: null });
    const answered = await ask('GET', at('/schemas/user'));
    expect(answered.text).toBe(`{"schemas":{"source":${SCHEMA},"destination":null}}`);
    pipelineService.answer('GetUserSchemas', { source: SCHEMA, destination: SCHEMA });
    expect((await ask('GET', at('/schemas/user'))).text).toContain(`"destination":${SCHEMA}`);
  });

  it('have charLen beside each maxLength, at every depth', async () => {
    const text = (more: string) => `{"kind":"string","maxLength":5${more},"maxByteLength":9}`;
    const of = (type: string): string =>
      ['array', 'map'].reduce(
        (elementType, kind) => `{"kind":"${kind}","elementType":${elementType}}`,
        type,
      );
    const schemaWith = (type: string): string =>
      `{"kind":"object","properties":[{"name":"maxLength","type":${of(`{"kind":"object","properties":[{"name":"a","type":${type},"prefilled":"maxLength","description":""}]}`)},"description":""},{"name":"b","type":{"kind":"string","values":["maxLength"]},"description":""}]}`;
    const schema = schemaWith(text(''));
    const shown = schemaWith(text(',"charLen":5'));
    pipelineService.answer('GetEventTypeSchema', { schema });
    expect((await ask('GET', at('/schemas/event?type=e'))).text).toBe(`{"schema":${shown}}`);
    pipelineService.answer('GetUserSchemas', { source: schema, destination: schema });
    expect((await ask('GET', at('/schemas/user'))).text).toBe(
      `{"schemas":{"source":${shown},"destination":${shown}}}`,
    );
  });
});

describe('users', () => {
  const FILTER = '{"logical":"and","conditions":[]}';

  it.each([
    [`schema=${encoded(SCHEMA)}`, { filter: null, cursor: '' }],
    [`schema=${encoded(SCHEMA)}&filter=&cursor=`, { filter: null, cursor: '' }],
    [`schema=${encoded(SCHEMA)}&filter=%7B%7D`, { filter: null, cursor: '' }],
    [`schema=${encoded(SCHEMA)}&filter=null`, { filter: null, cursor: '' }],
    [
      `schema=${encoded(SCHEMA)}&filter=${encoded(FILTER)}&cursor=10.MTA`,
      { filter: FILTER, cursor: '10.MTA' },
    ],
  ])('are listed with the parameters of %s', async (query, input) => {
    const user = '{"n":9223372036854775806}';
    pipelineService.answer('ListApplicationUsers', { users: [user], cursor: 'more' });
    const answered = await ask('GET', at(`/users?${query}`), {}, writer);
    expect(answered).toMatchObject({ status: 200, text: `{"users":[${user}],"cursor":"more"}` });
    expect(pipelineService.calls).toMatchObject([
      { name: 'ListApplicationUsers', about: ID, in: { connection: ID, schema: SCHEMA, ...input } },
    ]);
  });

  it('are masked for a key of scope read, which cannot filter by what it does not see', async () => {
    const user = '{"email":"ada@example.com","n":9223372036854775806}';
    pipelineService.answer('ListApplicationUsers', { users: [user], cursor: '' });
    const { text } = await ask('GET', at(`/users?schema=${encoded(SCHEMA)}`));
    expect(text).toBe('{"users":[{"email":"••••","n":"••••"}],"cursor":""}');
    const query = `schema=${encoded(SCHEMA)}&filter=${encoded(FILTER)}`;
    const filtered = await ask('GET', at(`/users?${query}`));
    expect(filtered.status).toBe(403);
    expect(jsonOf(filtered)).toMatchObject({
      error: { code: 'Forbidden', details: [{ path: '/filter' }] },
    });
  });

  it('may have hundreds of properties', async () => {
    const properties = Array.from({ length: 500 }, (_, n) => ({
      name: `property_${String(n)}`,
      type: { kind: 'string' },
      description: '',
    }));
    const schema = JSON.stringify({ kind: 'object', properties });
    const answered = await ask('GET', at(`/users?schema=${encoded(schema)}`));
    expect(answered.status).toBe(200);
    expect(pipelineService.calls[0]?.in).toMatchObject({ schema });
  });

  it('answer 503 while the application is unavailable', async () => {
    const message = 'service is unavailable: the application: answered 500';
    pipelineService.answer('ListApplicationUsers', new Refusal('ServiceUnavailable', { message }));
    const answered = await ask('GET', at(`/users?schema=${encoded(SCHEMA)}`));
    expect(answered).toMatchObject({ status: 503 });
    expect(Number(answered.headers['retry-after'])).toBeGreaterThanOrEqual(5);
    expect(jsonOf(answered)).toEqual({ error: { code: 'ServiceUnavailable', message } });
  });
});

describe('a preview', () => {
  const preview = 'POST https://example.com/in\nContent-Type: application/json\n\n{}';
  const console = 'Zoë\n';

  it('is allowed with a key of scope read', async () => {
    pipelineService.answer('PreviewSendEvent', { preview, console });
    const transformation = '{"mapping":{"n":"properties.n"}}';
    const body = `{"type":"e","event":${EVENT},"transformation":${transformation},"outSchema":${SCHEMA}}`;
    const answered = await ask('POST', at('/preview-send-event'), { body });
    expect(answered.status).toBe(200);
    expect(jsonOf(answered)).toEqual({ preview, console });
    expect(pipelineService.calls).toMatchObject([{ name: 'PreviewSendEvent', about: ID }]);
    expect(pipelineService.calls[0]?.in).toEqual({
      connection: ID,
      eventType: 'e',
      event: EVENT,
      transformation,
      outSchema: SCHEMA,
    });
  });

  it('that fails returns the values that failed, with every digit', async () => {
    const details = [
      { path: '/transformation/mapping', message: 'no', step: 'Transformation', console } as const,
      { path: '/a', message: 'b' },
    ];
    const values = '{"n":12345678901234567890,"m":1.50}';
    const refusal = { details: details.map((each, n) => (n === 0 ? { ...each, values } : each)) };
    pipelineService.answer('PreviewSendEvent', new Refusal('TransformationFailed', refusal));
    const answered = await ask('POST', at('/preview-send-event'), {
      body: '{"type":"e","event":{}}',
    });
    expect(answered.status).toBe(422);
    const [first, second] = details.map((each) => JSON.stringify(each));
    expect(answered.text).toBe(
      `{"error":{"code":"TransformationFailed","message":"transformation failed","details":[${first?.slice(0, -1) ?? ''},"values":${values}},${second ?? ''}]}}`,
    );
  });

  it.each(['', ',"transformation":null,"outSchema":null'])(
    'works without a transformation%s',
    async (rest) => {
      pipelineService.answer('PreviewSendEvent', { preview, console });
      const body = `{"type":"e","event":{}${rest}}`;
      expect(await ask('POST', at('/preview-send-event'), { body })).toMatchObject({ status: 200 });
      expect(pipelineService.calls[0]?.in).toMatchObject({ transformation: null, outSchema: null });
    },
  );
});

describe('a malformed request', () => {
  const bodyOf = (body: string): Sent => ({ body });
  const E = '"type":"e","event":{}';

  it.each<[method: string, path: string, sent: Sent, ...paths: string[]]>([
    ['GET', '/schemas/event', {}, '/type'],
    ['GET', '/schemas/event?type=', {}, '/type'],
    ['GET', '/schemas/event?type=a&type=b', {}, '/type'],
    ['GET', '/schemas/event?type=a&kind=b', {}, '/kind'],
    ['GET', '/schemas/user?type=a', {}, '/type'],
    ['GET', '/users', {}, '/schema'],
    ['GET', '/users?schema=', {}, '/schema'],
    ['GET', '/users?schema=%7B', {}, '/schema'],
    ['GET', '/users?schema=%7B%22a%22%3A1%2C%22a%22%3A2%7D', {}, '/schema/a'],
    ['GET', '/users?schema=%5B%5D', {}, '/schema'],
    ['GET', `/users?schema=${encoded(SCHEMA)}&filter=x`, {}, '/filter'],
    ['GET', `/users?schema=${encoded(SCHEMA)}&filter=%5B%5D`, {}, '/filter'],
    ['GET', `/users?schema=${encoded(SCHEMA)}&limit=5`, {}, '/limit'],
    ['POST', '/preview-send-event', {}, ''],
    ['POST', '/preview-send-event', bodyOf('{}'), '/event', '/type'],
    ['POST', '/preview-send-event', bodyOf('{"type":"","event":{}}'), '/type'],
    ['POST', '/preview-send-event', bodyOf(`{"type":"${'e'.repeat(101)}","event":{}}`), '/type'],
    ['POST', '/preview-send-event', bodyOf('{"type":"e","event":[]}'), '/event'],
    ['POST', '/preview-send-event', bodyOf('{"type":"e","event":null}'), '/event'],
    ['POST', '/preview-send-event', bodyOf(`{${E},"transformation":5}`), '/transformation'],
    ['POST', '/preview-send-event', bodyOf(`{${E},"outSchema":"s"}`), '/outSchema'],
    ['POST', '/preview-send-event', bodyOf(`{${E},"filter":null}`), '/filter'],
    ['PUT', '', bodyOf('{}'), '/name'],
    ['PUT', '', bodyOf('{"name":""}'), '/name'],
    ['PUT', '', bodyOf(`{"name":"${'n'.repeat(101)}"}`), '/name'],
    ['PUT', '', bodyOf('{"name":"n","settings":null}'), '/settings'],
    ['PUT', '', bodyOf('{"name":"n","roles":"Source"}'), '/roles'],
  ])('is answered 400: %s %s %j', async (method, path, sent, ...paths) => {
    const answered = await ask(method, at(path), sent, writer);
    expect(answered.status).toBe(400);
    const { error } = jsonOf(answered) as { error: { details: { path: string }[] } };
    expect(error.details.map((detail) => detail.path).sort()).toEqual([...paths].sort());
    expect(pipelineService.calls).toEqual([]);
  });
});

it.each<[method: string, path: string, sent: Sent]>([
  ['GET', '/schemas/event?type=e', {}],
  ['GET', '/schemas/user', {}],
  ['GET', `/users?schema=${encoded(SCHEMA)}`, {}],
  ['POST', '/preview-send-event', { body: '{"type":"e","event":{}}' }],
  ['PUT', '', { body: '{"name":"n"}' }],
])('an id of the wrong form is answered 404 at %s %s', async (method, path, sent) => {
  const answered = await ask(method, `/v1/connections/x${path}`, sent, writer);
  expect(answered.status).toBe(404);
  expect(jsonOf(answered)).toMatchObject({ error: { code: 'ConnectionNotExist' } });
  expect(pipelineService.calls).toEqual([]);
});

describe('a connection', () => {
  it.each([
    [undefined, undefined],
    ['"7"', 7],
  ])('is updated at the version in If-Match %s', async (tag, expectedVersion) => {
    pipelineService.answer('UpdateConnection', {});
    const headers = tag === undefined ? {} : { 'If-Match': tag };
    const body = '{"name":"Shop"}';
    const answered = await ask('PUT', at(''), { headers, body }, writer);
    expect(answered).toMatchObject({ status: 200, text: '' });
    expect(pipelineService.calls).toMatchObject([
      { name: 'UpdateConnection', about: ID, metadata: { expectedVersion } },
    ]);
    expect(pipelineService.calls[0]?.in).toEqual({ id: ID, name: 'Shop' });
  });

  it('is updated with sealed settings', async () => {
    const settings = '{"limit":9007199254740993,"rate":1.50}';
    const body = `{"name":"Shop","settings":${settings}}`;
    await ask('PUT', at(''), { body }, writer);
    const command = pipelineService.calls[0]?.in as { settings: string };
    expect(seals.open(command.settings, WORKSPACE)).toBe(settings);
  });

  it('is not updated with a key of scope read', async () => {
    const answered = await ask('PUT', at(''), { body: '{"name":"Shop"}' });
    expect(answered.status).toBe(403);
  });
});
