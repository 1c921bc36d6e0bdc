import {
  type ConnectionId,
  EVENT_SCHEMA,
  type Instant,
  type PipelineId,
  Refusal,
  type WorkspaceId,
} from '@penstock/contracts';
import { LogUnavailable, RequestTimeout } from '@penstock/messaging';
import { newApiKey } from '@penstock/runtime';
import { printType } from '@penstock/schema';
import { type Answered, jsonOf, send, type Sent } from '../testing/http.fixture';
import { GatewayStand } from '../testing/gateway.fixture';
import {
  apiKey,
  destination,
  organization,
  pipelineOn,
  seals,
  secrets,
  source,
  workspace,
  WORKSPACE,
} from '../testing/installation.fixture';

const OTHER_WORKSPACE = 'workspace0000002' as WorkspaceId;
const reader = apiKey('read');
const writer = apiKey('write');
const ofOrganization = apiKey('write', { workspace: null });
const expired = apiKey('write', { expiresAt: '2020-01-01T00:00:00.000Z' as Instant });
const lasting = apiKey('write', { expiresAt: '2999-01-01T00:00:00.000Z' as Instant });
const homeless = apiKey('write', { workspace: 'workspace0000009' as WorkspaceId });
const apiKeys = [reader, writer, ofOrganization, expired, lasting, homeless].map(
  ({ record }) => record,
);
const dummy = source('dummy', '{}', { role: 'Destination', writeKeys: [] });

const stand = new GatewayStand();
const { pipelineService } = stand;

beforeAll(async () => {
  await stand.configure(organization({ apiKeys }), workspace(), dummy.state, connection, pipeline);
  await stand.start();
});
afterAll(() => stand.stop());
beforeEach(() => {
  pipelineService.calls.length = 0;
});

const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });
const ask = (method: string, path: string, { headers = {}, body }: Sent = {}): Promise<Answered> =>
  send(stand.url(path), {
    method,
    headers: {
      ...bearer(writer.key),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body }),
  });

const setStatus = () => ask('PUT', `/v1/pipelines/${ID}/status`, { body: '{"enabled":true}' });

const errorOf = (answered: Answered) =>
  (jsonOf(answered) as { error: { code: string; message: string; details?: unknown } }).error;

const ID = 'object0000000001';

const connection = destination(ID, {
  version: 7,
  name: 'Shop',
  settings: seals.seal(
    '{"url":"https://example.com","auth":{"type":"bearer","token":"secret-token-1234"}}',
    WORKSPACE,
  ),
});

const pipeline = pipelineOn(connection, {
  id: ID as PipelineId,
  version: 3,
  name: 'Carts',
  enabled: false,
  outSchema:
    '{"kind":"object","properties":[{"name":"n","type":{"kind":"int","bitSize":64,"maximum":9223372036854775806},"description":""}]}',
});

describe('routes', () => {
  it.each([
    '/v1',
    '/v1/pipeline',
    '/v1/pipelines/',
    '/V1/pipelines',
    '/v1/pipelines/%',
    '/v2/pipelines',
  ])('%s is answered 404, with and without a key', async (path) => {
    const answered = await send(stand.url(path), { method: 'GET' });
    expect(answered.status).toBe(404);
    expect(jsonOf(answered)).toEqual({
      error: { code: 'NotFound', message: 'route does not exist' },
    });
  });

  it.each([
    ['/v1/pipelines', 'DELETE', 'GET, HEAD, POST'],
    ['/v1/pipelines/x', 'POST', 'GET, HEAD, PUT, DELETE'],
    ['/v1/events/schema', 'POST', 'GET, HEAD'],
    ['/healthz', 'OPTIONS', 'GET, HEAD'],
  ])('%s answers %s with 405, with and without a key', async (path, method, allow) => {
    const answered = await send(stand.url(path), { method });
    expect(answered).toMatchObject({ status: 405, headers: { allow } });
    expect(errorOf(answered).code).toBe('MethodNotAllowed');
  });

  it('sends a request id with every answer', async () => {
    expect((await ask('GET', '/v1/nothing')).headers['request-id']).toMatch(/./);
    const headers = { 'Request-Id': 'mine' };
    expect((await ask('GET', '/v1/connectors', { headers })).headers['request-id']).toBe('mine');
  });
});

describe('authorization', () => {
  type Row = [title: string, headers: Record<string, string>, status: number, code?: string];
  const ROWS: Row[] = [
    ['a key', bearer(writer.key), 200],
    ['a key that expires later', bearer(lasting.key), 200],
    ['any case of the scheme', { Authorization: `bearer ${writer.key}` }, 200],
    ['no header', { Authorization: '' }, 401, 'Unauthorized'],
    ['other scheme', { Authorization: `Basic ${writer.key}` }, 401, 'Unauthorized'],
    ['no form of a key', bearer('pk_x'), 401, 'Unauthorized'],
    ['unknown key', bearer(newApiKey()), 401, 'Unauthorized'],
    ['expired key', bearer(expired.key), 401, 'Unauthorized'],
    [
      'the workspace that the key is of',
      { ...bearer(writer.key), 'Penstock-Workspace': WORKSPACE },
      200,
    ],
    [
      'a workspace that the key is not of',
      { ...bearer(writer.key), 'Penstock-Workspace': OTHER_WORKSPACE },
      404,
      'WorkspaceNotExist',
    ],
    ['a key of a workspace that is none', bearer(homeless.key), 404, 'WorkspaceNotExist'],
    ['the only workspace', bearer(ofOrganization.key), 200],
    ['a chosen workspace', { ...bearer(ofOrganization.key), 'Penstock-Workspace': WORKSPACE }, 200],
    [
      'a chosen workspace that is none',
      { ...bearer(ofOrganization.key), 'Penstock-Workspace': OTHER_WORKSPACE },
      404,
      'WorkspaceNotExist',
    ],
  ];

  it.each(ROWS)('%s', async (...[, headers, status, code]) => {
    const answered = await ask('GET', '/v1/connectors', { headers });
    expect(answered.status).toBe(status);
    if (code !== undefined) expect(errorOf(answered).code).toBe(code);
  });

  it('answers 401 with the message of the API document', async () => {
    const answered = await ask('GET', '/v1/connectors', { headers: bearer('x') });
    expect(errorOf(answered).message).toBe('Authorization header is missing or invalid');
  });

  it.each([
    ['GET', '/v1/pipelines/x', 404],
    ['GET', `/v1/connections/${dummy.state.id}/dummy`, 403],
    ['POST', '/v1/pipelines', 403],
    ['PUT', '/v1/pipelines/x/status', 403],
    ['DELETE', '/v1/connections/x', 403],
  ])('a key of scope read is answered %s %s by %d', async (method, path, status) => {
    const answered = await ask(method, path, { headers: bearer(reader.key) });
    expect(answered.status).toBe(status);
  });

  it('checks the key before the scope, the scope before the organization, that before the workspace', async () => {
    await stand.configure(organization({ apiKeys, enabled: false }));
    try {
      expect(await ask('POST', '/v1/pipelines', { headers: bearer('x') })).toMatchObject({
        status: 401,
      });
      expect(await ask('POST', '/v1/pipelines', { headers: bearer(reader.key) })).toMatchObject({
        status: 403,
      });
      const headers = { 'Penstock-Workspace': OTHER_WORKSPACE };
      const disabled = await ask('POST', '/v1/pipelines', { headers, body: '{' });
      expect(disabled.status).toBe(422);
      expect(errorOf(disabled)).toEqual({
        code: 'OrganizationDisabled',
        message: 'organization is disabled',
      });
    } finally {
      await stand.configure(organization({ apiKeys }));
    }
  });

  it('chooses no workspace by default when there are several', async () => {
    const several = new GatewayStand();
    await several.configure(organization({ apiKeys }), workspace(), workspace(OTHER_WORKSPACE));
    await several.start();
    try {
      const list = (headers: Record<string, string>) =>
        send(several.url('/v1/connectors'), { method: 'GET', headers });
      expect(await list(bearer(ofOrganization.key))).toMatchObject({ status: 404 });
      const headers = { ...bearer(ofOrganization.key), 'Penstock-Workspace': OTHER_WORKSPACE };
      expect(await list(headers)).toMatchObject({ status: 200 });
    } finally {
      await several.stop();
    }
  });
});

const CONNECTION = '"name":"n","role":"Source","connector":"nodejs"';
const PIPELINE = `"name":"n","connection":"${ID}","target":"Event","eventType":"e"`;

describe('bodies', () => {
  type Row = [
    method: string,
    path: string,
    sent: Sent,
    status: number,
    code: string,
    ...paths: string[],
  ];
  const text = (contentType: string): Sent => ({
    headers: { 'Content-Type': contentType },
    body: `{${CONNECTION}}`,
  });
  const connections = (body: string): [string, string, Sent] => [
    'POST',
    '/v1/connections',
    { body },
  ];
  const pipelines = (body: string): [string, string, Sent] => ['POST', '/v1/pipelines', { body }];
  const update = (body: string): [string, string, Sent] => ['PUT', `/v1/pipelines/${ID}`, { body }];
  const status = (body: string): [string, string, Sent] => [
    'PUT',
    `/v1/pipelines/${ID}/status`,
    { body },
  ];
  const ROWS: Row[] = [
    ['POST', '/v1/connections', {}, 400, 'BadRequest', ''],
    ['POST', '/v1/connections', text('text/plain'), 415, 'UnsupportedMediaType'],
    [
      'POST',
      '/v1/connections',
      text('application/json; charset=latin1'),
      415,
      'UnsupportedMediaType',
    ],
    [
      'POST',
      '/v1/connections',
      { headers: { 'Content-Type': 'text/plain' }, body: '{' },
      415,
      'UnsupportedMediaType',
    ],
    [
      'POST',
      '/v1/connections',
      { headers: { 'Content-Encoding': 'gzip' }, body: '{}' },
      415,
      'UnsupportedMediaType',
    ],
    [...connections('{'.padEnd(512_001)), 413, 'PayloadTooLarge'],
    [...connections('{'.padEnd(512_000)), 400, 'BadRequest', ''],
    [...connections('[]'), 400, 'BadRequest', ''],
    [...connections('null'), 400, 'BadRequest', ''],
    [...connections(`{${CONNECTION},"name":"m"}`), 400, 'BadRequest', '/name'],
    [...connections(`{${CONNECTION},"settings":{"a":1,"a":2}}`), 400, 'BadRequest', '/settings/a'],
    [...connections('{}'), 400, 'BadRequest', '/name', '/role', '/connector'],
    [...connections(`{${CONNECTION},"Name":"x","a/b":1}`), 400, 'BadRequest', '/Name', '/a~1b'],
    [...connections(`{${CONNECTION},"__proto__":{}}`), 400, 'BadRequest', '/__proto__'],
    [...connections('{"name":"","role":"Source","connector":"c"}'), 400, 'BadRequest', '/name'],
    [
      ...connections(`{"name":"${'x'.repeat(101)}","role":"Source","connector":"c"}`),
      400,
      'BadRequest',
      '/name',
    ],
    [
      ...connections('{"name":"\\u0000","role":"Source","connector":"c"}'),
      400,
      'BadRequest',
      '/name',
    ],
    [
      ...connections('{"name":null,"role":null,"connector":null}'),
      400,
      'BadRequest',
      '/name',
      '/role',
      '/connector',
    ],
    [...connections(`{${CONNECTION},"settings":null}`), 400, 'BadRequest', '/settings'],
    [...connections(`{${CONNECTION},"settings":[]}`), 400, 'BadRequest', '/settings'],
    [
      ...connections(`{${CONNECTION},"linkedConnections":[1]}`),
      400,
      'BadRequest',
      '/linkedConnections',
    ],
    [...connections(`{${CONNECTION},"sendingMode":"Cloud"}`), 400, 'BadRequest', '/sendingMode'],
    [...pipelines('{}'), 400, 'BadRequest', '/name', '/connection', '/target'],
    [...pipelines(`{${PIPELINE},"enabled":null}`), 400, 'BadRequest', '/enabled'],
    [...pipelines(`{${PIPELINE},"enabled":"true"}`), 400, 'BadRequest', '/enabled'],
    [...pipelines(`{${PIPELINE},"filter":[]}`), 400, 'BadRequest', '/filter'],
    [...pipelines(`{${PIPELINE},"transformation":""}`), 400, 'BadRequest', '/transformation'],
    [...pipelines(`{${PIPELINE},"outSchema":5}`), 400, 'BadRequest', '/outSchema'],
    [
      ...pipelines(PIPELINE.replace('Event', 'event').replace(/^/, '{').replace(/$/, '}')),
      400,
      'BadRequest',
      '/target',
    ],
    [
      ...pipelines(
        `{"name":"${'x'.repeat(61)}","connection":"c","target":"Event","eventType":"${'e'.repeat(101)}"}`,
      ),
      400,
      'BadRequest',
      '/name',
      '/eventType',
    ],
    [...update('{}'), 400, 'BadRequest', '/name'],
    [
      ...update(`{"name":"n","connection":"${ID}","target":"Event","eventType":"e"}`),
      400,
      'BadRequest',
      '/eventType',
    ],
    [...status('{}'), 400, 'BadRequest', '/enabled'],
    [...status('{"enabled":null}'), 400, 'BadRequest', '/enabled'],
    [...status('{"enabled":true,"x":1}'), 400, 'BadRequest', '/x'],
    ['GET', '/v1/pipelines?limit=0', {}, 400, 'BadRequest', '/limit'],
    ['GET', '/v1/pipelines?limit=1001', {}, 400, 'BadRequest', '/limit'],
    ['GET', '/v1/pipelines?limit=1&limit=2', {}, 400, 'BadRequest', '/limit'],
    ['GET', '/v1/pipelines?enabled=yes', {}, 400, 'BadRequest', '/enabled'],
    ['GET', '/v1/pipelines?cursor=a%00', {}, 400, 'BadRequest', '/cursor'],
    ['GET', '/v1/connections?enabled=true', {}, 400, 'BadRequest', '/enabled'],
  ];

  it.each(ROWS)('%s %s %j', async (method, path, sent, expected, code, ...paths) => {
    const answered = await ask(method, path, sent);
    expect(answered.status).toBe(expected);
    const error = errorOf(answered) as { code: string; details?: { path: string }[] };
    expect(error.code).toBe(code);
    expect((error.details ?? []).map((detail) => detail.path).sort()).toEqual([...paths].sort());
    expect(pipelineService.calls).toEqual([]);
  });

  it('counts characters, not their UTF-16 units', async () => {
    pipelineService.answer('CreatePipeline', { id: ID as PipelineId });
    const body = `{${PIPELINE.replace('"n"', `"${'😀'.repeat(60)}"`)}}`;
    expect(await ask('POST', '/v1/pipelines', { body })).toMatchObject({ status: 200 });
  });
});

describe('ids of the wrong form', () => {
  it.each([
    ['GET', '/v1/connections/x', 'ConnectionNotExist'],
    ['DELETE', '/v1/connections/a%00b', 'ConnectionNotExist'],
    ['POST', `/v1/connections/x/links/${ID}`, 'ConnectionNotExist'],
    ['DELETE', `/v1/connections/${ID}/links/x`, 'ConnectionNotExist'],
    ['POST', '/v1/connections/x/event-write-keys', 'ConnectionNotExist'],
    ['GET', '/v1/connections/x/dummy', 'ConnectionNotExist'],
    ['GET', '/v1/pipelines/x', 'PipelineNotExist'],
    ['DELETE', `/v1/pipelines/${'x'.repeat(27)}`, 'PipelineNotExist'],
    ['GET', '/v1/connectors/none', 'ConnectorNotExist'],
  ])('%s %s is answered 404 %s', async (method, path, code) => {
    const answered = await ask(method, path);
    expect(answered.status).toBe(404);
    expect(errorOf(answered).code).toBe(code);
    expect(pipelineService.calls).toEqual([]);
  });

  it('are refused after a bad body', async () => {
    expect(await ask('PUT', '/v1/pipelines/x', { body: '{}' })).toMatchObject({ status: 400 });
  });
});

describe('refusals and failures of the pipeline service', () => {
  const details = [{ path: '/name', message: 'is taken' }];
  it.each([
    ['malformed', new Refusal('BadRequest', { details }), 400, 'BadRequest'],
    ['absent', new Refusal('PipelineNotExist'), 404, 'PipelineNotExist'],
    [
      'absent, but named in a body',
      new Refusal('ConnectionNotExist', { kind: 'refused' }),
      422,
      'ConnectionNotExist',
    ],
    ['changed meanwhile', new Refusal('Conflict'), 409, 'Conflict'],
    ['refused', new Refusal('SchemaNotAligned', { details }), 422, 'SchemaNotAligned'],
  ])('%s', async (_, refusal, status, code) => {
    pipelineService.answer('SetPipelineStatus', refusal);
    const answered = await setStatus();
    expect(answered.status).toBe(status);
    expect(errorOf(answered)).toEqual({
      code,
      message: refusal.message,
      ...(refusal.details.length > 0 && { details }),
    });
  });

  it.each([new RequestTimeout('SetPipelineStatus', 10), new LogUnavailable('away')])(
    'are answered 503 when there is no reply: %s',
    async (failure) => {
      pipelineService.answer('SetPipelineStatus', failure);
      const answered = await setStatus();
      expect(answered).toMatchObject({ status: 503 });
      expect(answered.headers).toHaveProperty('retry-after');
      expect(errorOf(answered).code).toBe('ServiceUnavailable');
    },
  );

  it('do not reveal an unexpected error', async () => {
    pipelineService.answer('SetPipelineStatus', new TypeError('the secret is out'));
    const answered = await setStatus();
    expect(answered.status).toBe(500);
    expect(errorOf(answered)).toEqual({ code: 'InternalError', message: 'internal error' });
  });
});

describe('connections', () => {
  it('are created with sealed settings and a write key that is not yet returned', async () => {
    pipelineService.answer('CreateConnection', { id: ID as ConnectionId });
    const settings = '{"limit":9007199254740993,"rate":1.50}';
    const body = `{${CONNECTION},"settings":${settings},"linkedConnections":["${ID}"]}`;
    const answered = await ask('POST', '/v1/connections', { body });
    expect(answered).toMatchObject({ status: 200, text: `{"id":"${ID}"}` });
    const [call] = pipelineService.calls;
    const command = call?.in as { id: string; settings: string; writeKey: Record<string, string> };
    expect(call).toMatchObject({
      name: 'CreateConnection',
      about: command.id,
      metadata: { caller: { key: writer.record.id, workspace: WORKSPACE } },
      in: {
        name: 'n',
        role: 'Source',
        connector: 'nodejs',
        sendingMode: null,
        linkedConnections: [ID],
      },
    });
    expect(seals.open(command.settings, WORKSPACE)).toBe(settings);
    const { hash = '', sealed = '' } = command.writeKey;
    expect(secrets.keyedHash(seals.open(sealed, WORKSPACE))).toBe(hash);
  });

  it('are returned with masked secrets and their version as a tag', async () => {
    const answered = await ask('GET', `/v1/connections/${ID}`);
    expect(answered).toMatchObject({ status: 200, headers: { etag: '"7"' } });
    expect(answered.text).not.toContain('secret-token');
    expect(jsonOf(answered)).toMatchObject({
      id: ID,
      name: 'Shop',
      connector: 'http',
      connectorType: 'Application',
      role: 'Destination',
      strategy: null,
      sendingMode: 'Server',
      linkedConnections: [],
      pipelines: [pipeline.id],
      health: { status: 'Healthy', since: null, code: '', message: '', action: '' },
      settings: { url: 'https://example.com', auth: { type: 'bearer', token: '••••1234' } },
      eventTypes: [
        { id: 'send_event', defaultFilter: null },
        { id: 'send_values', defaultFilter: null },
      ],
    });
  });

  it('are listed in pages', async () => {
    const list = async (query: string) => jsonOf(await ask('GET', `/v1/connections${query}`));
    const [first, second] = [{ id: dummy.state.id }, { id: ID }];
    expect(await list('?limit=1')).toMatchObject({ connections: [first], cursor: first.id });
    expect(await list(`?cursor=${first.id}`)).toMatchObject({ connections: [second], cursor: '' });
    expect(await list('')).toMatchObject({ connections: [first, second], cursor: '' });
    expect(await list('?search=SHO')).toMatchObject({ connections: [second], cursor: '' });
    expect(pipelineService.calls).toEqual([]);
  });

  it.each([
    [undefined, undefined],
    ['*', undefined],
    ['"7"', 7],
    ['W/"7"', -1],
    ['seven', -1],
  ])('are deleted at the version in If-Match %s', async (tag, expectedVersion) => {
    pipelineService.answer('DeleteConnection', {});
    const headers = tag === undefined ? {} : { 'If-Match': tag };
    const answered = await ask('DELETE', `/v1/connections/${ID}`, { headers });
    expect(answered).toMatchObject({ status: 200, text: '' });
    expect(pipelineService.calls).toMatchObject([
      { name: 'DeleteConnection', about: ID, in: { id: ID }, metadata: { expectedVersion } },
    ]);
  });

  it('are linked and unlinked', async () => {
    const path = `/v1/connections/${ID}/links/${dummy.state.id}`;
    const link = { source: ID, destination: dummy.state.id };
    expect(await ask('POST', path)).toMatchObject({ status: 200, text: '' });
    expect(await ask('DELETE', path)).toMatchObject({ status: 200, text: '' });
    expect(pipelineService.calls).toMatchObject([
      { name: 'LinkConnections', about: ID, in: link },
      { name: 'UnlinkConnections', about: ID, in: link },
    ]);
  });

  it('of the test application return the events that they received', async () => {
    stand.kept.set(dummy.state.id, ['{"n":1.50}']);
    const answered = await ask('GET', `/v1/connections/${dummy.state.id}/dummy`);
    expect(answered).toMatchObject({
      status: 200,
      text: '{"users":3,"upserts":5,"creates":1,"updates":4,"events":[{"n":1.50}]}',
    });
  });

  it('of another application return no events', async () => {
    const answered = await ask('GET', `/v1/connections/${ID}/dummy`);
    expect(answered.status).toBe(404);
    expect(errorOf(answered).code).toBe('ConnectionNotExist');
  });
});

describe('event write keys', () => {
  it('are created, listed and deleted', async () => {
    const path = `/v1/connections/${ID}/event-write-keys`;
    const sealed = seals.seal('the key that was made', WORKSPACE);
    pipelineService.answer('CreateEventWriteKey', { sealed });
    const { key } = jsonOf(await ask('POST', path)) as { key: string };
    expect(key).toBe('the key that was made');
    const [call] = pipelineService.calls;
    const given = (call?.in as { key: { hash: string; sealed: string } }).key;
    const made = seals.open(given.sealed, WORKSPACE);
    expect(made).toMatch(/^[0-9A-Za-z]{32}$/);
    expect(secrets.keyedHash(made)).toBe(given.hash);
    const { state, key: kept } = source('nodejs');
    await stand.configure(state);
    const list = await ask('GET', `/v1/connections/${state.id}/event-write-keys`);
    expect(jsonOf(list)).toEqual({ keys: [kept] });
    expect((await ask('GET', path)).status).toBe(404);
    expect(await ask('DELETE', `${path}/${key}`)).toMatchObject({ status: 200, text: '' });
    expect(pipelineService.calls.at(-1)).toMatchObject({
      name: 'DeleteEventWriteKey',
      in: { connection: ID, hash: secrets.keyedHash(key) },
    });
  });
});

describe('pipelines', () => {
  it('keep every digit of their schemas in both directions', async () => {
    pipelineService.answer('CreatePipeline', { id: ID as PipelineId });
    const { outSchema } = pipeline;
    const body = `{${PIPELINE},"outSchema":${outSchema ?? ''},"filter":null}`;
    expect(await ask('POST', '/v1/pipelines', { body })).toMatchObject({ text: `{"id":"${ID}"}` });
    const [call] = pipelineService.calls;
    expect(call?.in).toEqual({
      id: call?.about,
      name: 'n',
      connection: ID,
      target: 'Event',
      eventType: 'e',
      filter: null,
      transformation: null,
      outSchema,
    });
    const answered = await ask('GET', `/v1/pipelines/${ID}`);
    expect(answered.headers).toMatchObject({ etag: '"3"' });
    expect(answered.text).toContain(`"outSchema":${outSchema ?? ''},"version":3}`);
    expect(jsonOf(answered)).toMatchObject({
      inSchema: JSON.parse(printType(EVENT_SCHEMA)) as object,
    });
  });

  it('are updated; the pipeline service decides whether an absent member is cleared or kept', async () => {
    const headers = { 'If-Match': '"3"' };
    const answered = await ask('PUT', `/v1/pipelines/${ID}`, {
      headers,
      body: '{"name":"m","enabled":false}',
    });
    expect(answered).toMatchObject({ status: 200, text: '' });
    expect(pipelineService.calls[0]).toMatchObject({
      name: 'UpdatePipeline',
      metadata: { expectedVersion: 3 },
    });
    expect(pipelineService.calls[0]?.in).toEqual({
      id: ID,
      name: 'm',
      enabled: false,
      filter: null,
      transformation: null,
      outSchema: null,
    });
    await ask('PUT', `/v1/pipelines/${ID}`, { body: '{"name":"m"}' });
    expect(pipelineService.calls[1]?.in).not.toHaveProperty('enabled');
  });

  it('are enabled, disabled and deleted', async () => {
    pipelineService.answer('SetPipelineStatus', {});
    const path = `/v1/pipelines/${ID}`;
    expect(await ask('PUT', `${path}/status`, { body: '{"enabled":true}' })).toMatchObject({
      status: 200,
      text: '',
    });
    expect(await ask('DELETE', path)).toMatchObject({ status: 200, text: '' });
    expect(pipelineService.calls).toMatchObject([
      { name: 'SetPipelineStatus', in: { id: ID, enabled: true } },
      { name: 'DeletePipeline', in: { id: ID } },
    ]);
  });

  it('are listed by connection and state', async () => {
    const list = async (query: string) => jsonOf(await ask('GET', `/v1/pipelines${query}`));
    const [none, one] = [
      { pipelines: [], cursor: '' },
      { pipelines: [{ id: ID, version: 3 }], cursor: '' },
    ];
    expect(await list(`?connection=${ID}&enabled=false`)).toMatchObject(one);
    expect(await list(`?connection=${ID}&enabled=true`)).toEqual(none);
    expect(await list(`?connection=${dummy.state.id}`)).toEqual(none);
  });
});

describe('without the pipeline service, the gateway', () => {
  it('lists connectors', async () => {
    const { connectors } = jsonOf(await ask('GET', '/v1/connectors')) as {
      connectors: { code: string }[];
    };
    const vendors = ['posthog', 'mixpanel', 'google-analytics', 'klaviyo', 'brevo', 'mailchimp'];
    expect(connectors.map(({ code }) => code)).toEqual(
      expect.arrayContaining(['nodejs', ...vendors]),
    );
    expect(jsonOf(await ask('GET', '/v1/connectors/nodejs'))).toMatchObject({
      code: 'nodejs',
      type: 'SDK',
    });
  });

  it('returns the event schema', async () => {
    expect((await ask('GET', '/v1/events/schema')).text).toBe(printType(EVENT_SCHEMA));
  });

  it('accepts events on the same port, with a key that was just created', async () => {
    const fresh = source('nodejs');
    await stand.configure(fresh.state);
    const sent = { headers: bearer(fresh.key), body: '{"type":"page","userId":"u"}' };
    expect(await send(stand.url('/v1/events'), sent)).toMatchObject({ text: '{"accepted":1}' });
  });

  it('is live and ready', async () => {
    expect(await send(stand.url('/healthz'), { method: 'GET' })).toMatchObject({ status: 200 });
    expect(await send(stand.url('/readyz'), { method: 'GET' })).toMatchObject({ status: 200 });
  });

  it('answers 404 for the demo when there is none', async () => {
    expect(await send(stand.url('/demo'), { method: 'GET' })).toMatchObject({ status: 404 });
  });

  it('shows the page of the demo without a key', async () => {
    const demo = new GatewayStand();
    const history = { pipelineStates: () => Promise.reject(new Error('the service is away')) };
    await demo.start({ demoDestination: dummy.state.id, history });
    try {
      const page = await send(demo.url('/demo'), { method: 'GET' });
      expect(page).toMatchObject({
        status: 200,
        headers: { 'content-type': 'text/html; charset=utf-8' },
      });
    } finally {
      await demo.stop();
    }
  });
});
