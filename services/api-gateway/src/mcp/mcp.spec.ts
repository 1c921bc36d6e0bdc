import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { type ApiKeyId, Refusal, type WarehouseState, type WorkspaceId } from '@penstock/contracts';
import { GatewayStand } from '../testing/gateway.fixture';
import { jsonOf, send } from '../testing/http.fixture';
import {
  apiKey,
  destination,
  organization,
  pipelineOn,
  workspace,
  WORKSPACE,
} from '../testing/installation.fixture';

const OTHER = 'workspace0000002' as WorkspaceId;
const key = apiKey('mcp');
const ofOther = apiKey('mcp', { id: 'key-mcp-other' as ApiKeyId, workspace: OTHER });
const others = [apiKey('read'), apiKey('write'), apiKey('admin')];
const stand = new GatewayStand();
const { pipelineService } = stand;

const warehouse = (id: WorkspaceId, mcpSettings: string | null): WarehouseState => ({
  ...{ kind: 'warehouse', id, version: 1, platform: 'PostgreSQL', settings: 'sealed' },
  ...{ mcpSettings, mode: 'Normal' },
});

const TARGET = destination('destination00001', { connector: 'dummy' });
const PIPELINE = pipelineOn(TARGET);

const clients: Client[] = [];

const connected = async (bearer = key.key): Promise<Client> => {
  const client = new Client({ name: 'spec', version: '1.0.0' });
  const transport = new StreamableHTTPClientTransport(new URL(stand.url('/mcp')), {
    requestInit: { headers: { Authorization: `Bearer ${bearer}` } },
  });
  await client.connect(transport);
  clients.push(client);
  return client;
};

const call = async (name: string, given: object = {}, bearer = key.key) => {
  const client = await connected(bearer);
  const { content, isError = false } = await client.callTool({
    name,
    arguments: given as Record<string, unknown>,
  });
  const [{ text }] = content as [{ text: string }];
  return { text, isError };
};

beforeAll(async () => {
  await stand.configure(
    organization({ apiKeys: [key, ofOther, ...others].map(({ record }) => record) }),
    workspace(),
    workspace(OTHER),
    warehouse(WORKSPACE, 'sealed'),
    warehouse(OTHER, null),
    TARGET,
    PIPELINE,
  );
  await stand.start();
});
afterAll(() => stand.stop());
beforeEach(() => {
  pipelineService.calls.length = 0;
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});

it('tells what it can do', async () => {
  const client = await connected();
  expect(client.getServerVersion()).toMatchObject({ name: 'penstock' });
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    'list_tables',
    'query',
    'find_profile',
    'list_pipelines',
  ]);
  for (const { annotations, description } of tools) {
    expect(annotations).toMatchObject({ readOnlyHint: true });
    expect(description).toMatch(/\.$/);
  }
});

describe('the tools', () => {
  it('list tables', async () => {
    const tables = [{ name: 'events', columns: [{ name: 'type', type: 'text' }] }];
    pipelineService.answer('DescribeWarehouse', { tables, isCut: false });
    expect(await call('list_tables')).toEqual({
      text: JSON.stringify({ tables, isCut: false }),
      isError: false,
    });
    expect(pipelineService.calls).toMatchObject([
      { name: 'DescribeWarehouse', about: WORKSPACE, metadata: { caller: { scope: 'mcp' } } },
    ]);
  });

  it('query, to the last digit', async () => {
    const columns = [{ name: 'n', type: 'bigint' }];
    const rows = ['[9223372036854775807]', '[0.10]'];
    pipelineService.answer('QueryWarehouse', { columns, rows, isCut: false });
    expect(await call('query', { statement: 'SELECT n FROM t' })).toEqual({
      text: `{"columns":[{"name":"n","type":"bigint"}],"rows":[[9223372036854775807],[0.10]],"rowCount":2,"isCut":false}`,
      isError: false,
    });
    expect(pipelineService.calls).toMatchObject([
      { name: 'QueryWarehouse', about: WORKSPACE, in: { statement: 'SELECT n FROM t' } },
    ]);
  });

  it('say when a result is cut', async () => {
    pipelineService.answer('QueryWarehouse', { columns: [], rows: ['[]'], isCut: true });
    const { text } = await call('query', { statement: 'SELECT' });
    expect(JSON.parse(text)).toMatchObject({
      rowCount: 1,
      isCut: true,
      note: expect.stringContaining('more rows') as string,
    });
  });

  const ID = 'c0ffee00-0000-4000-8000-000000000001';
  const profile = {
    ...{
      id: ID,
      createdAt: '2026-03-01T09:00:00.000000Z',
      updatedAt: '2026-03-01T09:30:00.000000Z',
    },
    attributes: '{"email":"a@b.c","n":9223372036854775807}',
  };
  const PROFILE = `{"id":"${ID}","createdAt":"2026-03-01T09:00:00.000000Z","updatedAt":"2026-03-01T09:30:00.000000Z","attributes":${profile.attributes}}`;

  it('find a profile by its id', async () => {
    pipelineService.answer('GetProfile', profile);
    expect(await call('find_profile', { id: ID.toUpperCase() })).toEqual({
      text: `{"profiles":[${PROFILE}],"isCut":false}`,
      isError: false,
    });
    expect(pipelineService.calls).toMatchObject([
      { in: { profile: ID, properties: null }, metadata: { caller: { scope: 'read' } } },
    ]);
  });

  it('find profiles by a property', async () => {
    const found = { profiles: [profile], schema: '{}', total: null, cursor: 'next' };
    pipelineService.answer('ListProfiles', found);
    expect(await call('find_profile', { property: 'email', value: 'a"b' })).toEqual({
      text: `{"profiles":[${PROFILE}],"isCut":true}`,
      isError: false,
    });
    const filter =
      '{"logical":"and","conditions":[{"property":"email","operator":"is","values":["a\\"b"]}]}';
    expect(pipelineService.calls).toMatchObject([
      { name: 'ListProfiles', in: { filter, limit: 10 } },
    ]);
  });

  it.each([{}, { id: ID, value: 'x' }, { property: 'email' }, { value: 'x' }])(
    'find no profile by %j',
    async (given) => {
      expect(await call('find_profile', given)).toEqual({
        text: 'BadRequest: request is not valid\ngive either an id, or a property and its value',
        isError: true,
      });
    },
  );

  it('list pipelines', async () => {
    const { text, isError } = await call('list_pipelines');
    expect(isError).toBe(false);
    expect(JSON.parse(text)).toEqual({
      pipelines: [
        {
          ...{ id: PIPELINE.id, name: 'A pipeline', connection: TARGET.id, connector: 'dummy' },
          ...{ connectionRole: 'Destination', target: 'Event', eventType: 'send_values' },
          enabled: true,
          health: expect.objectContaining({ status: 'Healthy', message: '', action: '' }) as object,
        },
      ],
      cursor: '',
    });
    const { text: none } = await call('list_pipelines', { search: 'other' });
    expect(JSON.parse(none)).toEqual({ pipelines: [], cursor: '' });
    expect((await call('list_pipelines', { cursor: 'x' })).text).toContain(
      '/cursor must be a cursor that a list has answered',
    );
  });
});

describe('a tool is refused', () => {
  it.each<[string, Error, string]>([
    [
      'of a rule',
      new Refusal('MaintenanceMode'),
      'MaintenanceMode: data warehouse is in maintenance mode',
    ],
    [
      'with details',
      new Refusal('NotReadOnlyMCPSettings', {
        details: [{ path: '', message: 'role r is SUPER' }],
      }),
      'NotReadOnlyMCPSettings: warehouse MCP settings are not read-only\nrole r is SUPER',
    ],
    ['that nobody expected', new Error('a secret'), 'InternalError: internal error'],
  ])('in the words of the API: an error %s', async (_, error, text) => {
    pipelineService.answer('QueryWarehouse', error);
    expect(await call('query', { statement: 'SELECT 1' })).toEqual({ text, isError: true });
  });

  it.each([
    ['list_tables', {}],
    ['query', { statement: 'SELECT 1' }],
    ['find_profile', { id: 'x' }],
    ['list_pipelines', {}],
  ])('without settings of the MCP server: %s', async (name, given) => {
    expect(await call(name, given, ofOther.key)).toEqual({
      text: 'InvalidWarehouseSettings: data warehouse settings are not valid: those of the MCP server are not configured',
      isError: true,
    });
    expect(pipelineService.calls).toEqual([]);
  });

  it.each([
    ['query', {}],
    ['query', { statement: '' }],
    ['query', { statement: 5 }],
    ['query', { statement: 'x'.repeat(100_001) }],
    ['drop_table', {}],
  ])('with arguments that it does not take: %s', async (name, given) => {
    expect((await call(name, given)).isError).toBe(true);
    expect(pipelineService.calls).toEqual([]);
  });
});

describe('a request', () => {
  const ACCEPT = 'application/json, text/event-stream';
  const post = (body: string, headers: Record<string, string> = {}) =>
    send(stand.url('/mcp'), {
      method: 'POST',
      headers: {
        ...{ Authorization: `Bearer ${key.key}`, Accept: ACCEPT },
        ...{ 'Content-Type': 'application/json', ...headers },
      },
      body,
    });
  const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

  it('is answered as JSON, with the headers of every answer, and no session', async () => {
    const { status, text, headers } = await post(PING);
    expect([status, text]).toEqual([200, '{"result":{},"jsonrpc":"2.0","id":1}']);
    expect(headers['content-type']).toBe('application/json');
    expect(headers).toMatchObject({
      'request-id': expect.any(String) as string,
      'ratelimit-limit': expect.any(String) as string,
    });
    expect(headers).not.toHaveProperty('mcp-session-id');
  });

  it('needs a key of scope mcp', async () => {
    expect((await post(PING, { Authorization: '' })).status).toBe(401);
    for (const other of others) {
      const refused = await post(PING, { Authorization: `Bearer ${other.key}` });
      expect([refused.status, jsonOf(refused)]).toMatchObject([
        403,
        { error: { code: 'Forbidden' } },
      ]);
    }
  });

  it('opens nothing else with a key of scope mcp', async () => {
    for (const path of ['/v1/pipelines', '/v1/keys', '/v1/warehouse', '/v1/organization']) {
      const headers = { Authorization: `Bearer ${key.key}` };
      expect((await send(stand.url(path), { method: 'GET', headers })).status).toBe(403);
    }
  });

  it.each<[string, string, number]>([
    ['no body', '', 400],
    ['no JSON', '{', 400],
    ['a batch', `[${PING}]`, 400],
    ['no message', '{"a":1}', 400],
    ['too large', `{"a":"${'x'.repeat(512_000)}"}`, 413],
  ])('is refused: %s', async (_, body, status) => {
    expect((await post(body)).status).toBe(status);
  });

  it('is refused in another media type, or by another method', async () => {
    expect((await post(PING, { 'Content-Type': 'text/plain' })).status).toBe(415);
    for (const method of ['GET', 'DELETE'])
      expect(
        (await send(stand.url('/mcp'), { method, headers: { Authorization: `Bearer ${key.key}` } }))
          .status,
      ).toBe(405);
  });
});
