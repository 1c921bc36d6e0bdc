import { Refusal, type WarehouseState, type WorkspaceId } from '@penstock/contracts';
import { GatewayStand } from '../testing/gateway.fixture';
import { type Answered, jsonOf, send, type Sent } from '../testing/http.fixture';
import { apiKey, organization, seals, workspace, WORKSPACE } from '../testing/installation.fixture';

const OTHER_WORKSPACE = 'workspace0000002' as WorkspaceId;
const [reader, writer, admin] = [apiKey('read'), apiKey('write'), apiKey('admin')];
const ofOrganization = apiKey('read', { workspace: null });
const stand = new GatewayStand();
const { pipelineService } = stand;

beforeAll(async () => {
  const apiKeys = [reader, writer, admin, ofOrganization].map(({ record }) => record);
  await stand.configure(organization({ apiKeys }), workspace(), workspace(OTHER_WORKSPACE));
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
  { key } = admin,
): Promise<Answered> =>
  send(stand.url(`/v1/warehouse${path}`), {
    method,
    headers: {
      Authorization: `Bearer ${key}`,
      ...(sent.body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...sent,
  });

const errorOf = (answered: Answered) =>
  (jsonOf(answered) as { error: { code: string; message: string; details?: object[] } }).error;

const SETTINGS = '{"host":"db.example.com","port":5432,"password":"very-secret-1234"}';
const SNOWFLAKE = '{"account":"a-b","password":"very-secret-5678","role":"R"}';

const warehouse = (members: Partial<WarehouseState> = {}): WarehouseState => ({
  kind: 'warehouse',
  id: WORKSPACE,
  version: 4,
  platform: 'PostgreSQL',
  settings: seals.seal(SETTINGS, WORKSPACE),
  mcpSettings: null,
  mode: 'Inspection',
  ...members,
});

describe('the warehouse', () => {
  it('is returned unmasked to keys of scope admin, with its version as a tag', async () => {
    const mcpSettings = seals.seal('{"host":"h","sslMode":"disable"}', WORKSPACE);
    await stand.configure(warehouse({ mcpSettings }));
    expect(await ask('GET', '')).toMatchObject({
      status: 200,
      headers: { etag: '"4"' },
      text: '{"platform":"PostgreSQL","settings":{"Host":"db.example.com","Port":5432,"Password":"very-secret-1234"},"mcpSettings":{"Host":"h","SslMode":"disable"},"mode":"Inspection"}',
    });
    expect(pipelineService.calls).toEqual([]);
  });

  it.each([
    ['read', reader],
    ['write', writer],
  ])('is returned to keys of scope %s without the password', async (_, key) => {
    const mcpSettings = seals.seal(SETTINGS, WORKSPACE);
    await stand.configure(warehouse({ mcpSettings }));
    const answered = await ask('GET', '', {}, key);
    expect(answered.text).not.toContain('very-secret');
    const masked = { Host: 'db.example.com', Port: 5432, Password: '••••1234' };
    expect(jsonOf(answered)).toMatchObject({ settings: masked, mcpSettings: masked });
  });

  it('of another platform is returned in the same way', async () => {
    const settings = seals.seal(SNOWFLAKE, WORKSPACE);
    await stand.configure(warehouse({ platform: 'Snowflake', settings }));
    expect(jsonOf(await ask('GET', '', {}, reader))).toMatchObject({
      platform: 'Snowflake',
      settings: { Account: 'a-b', Password: '••••5678', Role: 'R' },
    });
  });
});

describe('updates and tests', () => {
  it('send settings sealed, with every digit', async () => {
    const settings = '{"port":54320000000000000001,"host":"h"}';
    const body = `{"settings":${settings},"mcpSettings":{"host":"m"},"mode":"Normal","cancelIncompatibleOperations":true}`;
    const headers = { 'If-Match': '"4"' };
    expect(await ask('PUT', '', { body, headers })).toMatchObject({ status: 200, text: '' });
    const [call] = pipelineService.calls;
    expect(call).toMatchObject({
      name: 'UpdateWarehouse',
      about: WORKSPACE,
      in: { mode: 'Normal', cancelIncompatibleOperations: true },
      metadata: { expectedVersion: 4 },
    });
    const sealed = call?.in as { settings: string; mcpSettings: string };
    expect(seals.open(sealed.settings, WORKSPACE)).toBe(settings);
    expect(seals.open(sealed.mcpSettings, WORKSPACE)).toBe('{"host":"m"}');
  });

  it.each(['{"settings":{}}', '{"settings":{},"mcpSettings":null}'])(
    'remove the MCP settings, and leave the mode to its default, by %s',
    async (body) => {
      await ask('PUT', '', { body });
      expect(pipelineService.calls[0]?.in).toEqual({
        settings: expect.any(String) as string,
        mcpSettings: null,
        cancelIncompatibleOperations: false,
      });
    },
  );

  it('send a test as a query', async () => {
    const body = '{"settings":{"host":"h"},"mcpSettings":null}';
    expect(await ask('PUT', '/test', { body })).toMatchObject({ status: 200, text: '' });
    expect(pipelineService.calls).toMatchObject([
      { name: 'TestWarehouse', about: WORKSPACE, in: { mcpSettings: null } },
    ]);
  });

  it.each([
    [new Refusal('DifferentWarehouse'), 'data warehouse is a different data warehouse'],
    [new Refusal('InvalidWarehouseSettings'), 'data warehouse settings are not valid'],
    [new Refusal('NotReadOnlyMCPSettings'), 'warehouse MCP settings are not read-only'],
  ])('are refused with %s', async (refusal, message) => {
    pipelineService.answer('TestWarehouse', refusal);
    const answered = await ask('PUT', '/test', { body: '{"settings":{}}' });
    expect(answered.status).toBe(422);
    expect(errorOf(answered)).toEqual({ code: refusal.code, message });
  });
});

it.each(['Normal', 'Inspection', 'Maintenance'])('set the mode to %s', async (mode) => {
  const answered = await ask('PUT', '/mode', { body: `{"mode":"${mode}"}` });
  expect(answered).toMatchObject({ status: 200, text: '' });
  expect(pipelineService.calls).toMatchObject([
    { name: 'SetWarehouseMode', in: { mode, cancelIncompatibleOperations: false } },
  ]);
});

it('leave the mode to its default', async () => {
  expect(await ask('PUT', '/mode', { body: '{}' })).toMatchObject({ status: 200, text: '' });
  expect(pipelineService.calls).toMatchObject([
    { name: 'SetWarehouseMode', in: { cancelIncompatibleOperations: false } },
  ]);
  expect(pipelineService.calls[0]?.in).not.toHaveProperty('mode');
});

it.each([
  ['UpdateWarehouse', '', '{"settings":{}}'],
  ['SetWarehouseMode', '/mode', '{}'],
] as const)('a dry run of %s answers the change of the mode', async (name, path, body) => {
  pipelineService.answer(name, { mode: { from: 'Maintenance', to: 'Normal' } });
  expect(await ask('PUT', `${path}?dryRun=true`, { body })).toMatchObject({
    status: 200,
    text: '{"mode":{"from":"Maintenance","to":"Normal"}}',
  });
  expect(await ask('PUT', path, { body })).toMatchObject({ status: 200, text: '' });
});

it('request a repair, with or without a body', async () => {
  expect(await ask('POST', '/repair')).toMatchObject({ status: 200, text: '' });
  expect(pipelineService.calls).toMatchObject([{ name: 'RepairWarehouse', about: WORKSPACE }]);
  const refusal = new Refusal('ServiceUnavailable', { message: 'service is unavailable: away' });
  pipelineService.answer('RepairWarehouse', refusal);
  const answered = await ask('POST', '/repair');
  expect(answered).toMatchObject({ status: 503 });
  expect(answered.headers).toHaveProperty('retry-after');
});

describe('platforms', () => {
  const platforms = '{"platforms":[{"name":"PostgreSQL"},{"name":"Snowflake"}]}';

  it('are listed', async () => {
    expect(await ask('GET', '/platforms', {}, reader)).toMatchObject({ text: platforms });
  });

  it.each<Record<string, string>>([{}, { 'Penstock-Workspace': 'workspace0000009' }])(
    'need no workspace: %j',
    async (headers) => {
      const at = (path: string) => ask('GET', path, { headers }, ofOrganization);
      expect(await at('/platforms')).toMatchObject({ text: platforms });
      expect(errorOf(await at(''))).toMatchObject({ code: 'WorkspaceNotExist' });
    },
  );
});

describe('malformed requests', () => {
  type Row = [call: string, body: string | undefined, ...paths: string[]];
  const ROWS: Row[] = [
    ['PUT ', undefined, ''],
    ['PUT ', '{}', '/settings'],
    ['PUT ', '{"settings":null}', '/settings'],
    ['PUT ', '{"settings":[],"mcpSettings":"x"}', '/settings', '/mcpSettings'],
    ['PUT ', '{"settings":{},"mode":null}', '/mode'],
    ['PUT ', '{"settings":{},"mode":"normal"}', '/mode'],
    [
      'PUT ',
      '{"settings":{},"cancelIncompatibleOperations":null}',
      '/cancelIncompatibleOperations',
    ],
    ['PUT ', '{"settings":{},"platform":"Snowflake"}', '/platform'],
    ['PUT /test', '{"mcpSettings":null}', '/settings'],
    ['PUT /test', '{"settings":{},"mode":"Normal"}', '/mode'],
    ['PUT /mode', '{"mode":null}', '/mode'],
    ['PUT /mode', '{"mode":"Off"}', '/mode'],
    ['PUT /mode', '{"mode":"Normal","settings":{}}', '/settings'],
    [
      'PUT /mode',
      '{"mode":"Normal","cancelIncompatibleOperations":"yes"}',
      '/cancelIncompatibleOperations',
    ],
  ];

  it.each(ROWS)('%s %s', async (call, body, ...paths) => {
    const [method = '', path = ''] = call.split(' ');
    const answered = await ask(method, path, body === undefined ? {} : { body });
    expect(answered.status).toBe(400);
    const { code, details } = errorOf(answered);
    expect(code).toBe('BadRequest');
    expect(details).toEqual(paths.map((each) => expect.objectContaining({ path: each }) as object));
    expect(pipelineService.calls).toEqual([]);
  });
});

it.each([
  ['PUT', ''],
  ['PUT', '/test'],
  ['PUT', '/mode'],
  ['POST', '/repair'],
])('%s /v1/warehouse%s needs scope admin', async (method, path) => {
  const answered = await ask(method, path, { body: '{"settings":{},"mode":"Normal"}' }, writer);
  expect(answered.status).toBe(403);
  expect(errorOf(answered).code).toBe('Forbidden');
});

it.each([
  ['', 'GET, HEAD, PUT'],
  ['/test', 'PUT'],
  ['/mode', 'PUT'],
  ['/repair', 'POST'],
  ['/platforms', 'GET, HEAD'],
])('/v1/warehouse%s accepts %s', async (path, allow) => {
  const answered = await ask('DELETE', path);
  expect(answered).toMatchObject({ status: 405, headers: { allow } });
});
