import {
  type AuditedFact,
  type ConfigurationState,
  type ConnectionState,
  type Instant,
  type PipelineState,
  Refusal,
  type WarehouseState,
  type WorkspaceId,
  type WorkspaceState,
} from '@penstock/contracts';
import { newDataKey, Seals } from '@penstock/runtime';
import { type Answered, jsonOf, send } from '../testing/http.fixture';
import { GatewayStand } from '../testing/gateway.fixture';
import {
  apiKey,
  organization,
  seals,
  secrets,
  source,
  workspace,
  WORKSPACE,
} from '../testing/installation.fixture';

const reader = apiKey('read');
const ofOrganization = apiKey('read', { workspace: null, id: 'key-organization' as never });
const DELETED = 'workspace0000009' as WorkspaceId;
const ofDeleted = apiKey('admin', { workspace: DELETED, id: 'key-of-deleted' as never });
const stand = new GatewayStand();
const { pipelineService } = stand;

beforeAll(async () => {
  const apiKeys = [reader.record, ofOrganization.record, ofDeleted.record];
  await stand.configure(organization({ apiKeys }), workspace());
  await stand.start();
});
afterAll(() => stand.stop());
beforeEach(() => {
  pipelineService.calls.length = 0;
  pipelineService.answer('ListFacts', { facts: [], cursor: '' });
});

const ask = (path: string, { key } = reader): Promise<Answered> =>
  send(stand.url(path), { method: 'GET', headers: { Authorization: `Bearer ${key}` } });

const fact = (
  after: ConfigurationState | null,
  members: Partial<AuditedFact> = {},
): AuditedFact => ({
  position: 7,
  stream: 'connection-object0000000001',
  version: 2,
  type: 'ConnectionUpdated',
  time: '2026-03-01T09:30:00.000Z' as Instant,
  actor: 'key-1',
  requestId: 'request-1',
  causation: 'command-1',
  hash: 'h1',
  before: null,
  after,
  isCut: false,
  ...members,
});

const shown = async (...facts: AuditedFact[]): Promise<{ text: string; facts: object[] }> => {
  pipelineService.answer('ListFacts', { facts, cursor: '3' });
  const answered = await ask('/v1/audit');
  const json = jsonOf(answered) as { facts: object[]; cursor: string };
  expect(json.cursor).toBe('3');
  return { text: answered.text, facts: json.facts };
};

const TOKEN = 'secret-token-1234';
const http = source(
  'http',
  `{"url":"https://example.com","auth":{"type":"bearer","token":"${TOKEN}"}}`,
  {
    role: 'Destination',
  },
);

const pipeline = {
  kind: 'pipeline',
  id: 'pipeline00000001',
  workspace: WORKSPACE,
  name: 'Carts',
  filter:
    '{"logical":"and","conditions":[{"property":"a","operator":"is","values":["9007199254740993"]}]}',
  transformation: { mapping: { hash: 'traits.hash' }, function: null },
  outSchema:
    '{"kind":"object","properties":[{"name":"hash","type":{"kind":"int","maximum":9223372036854775807}}]}',
  version: 2,
  deleted: false,
} as unknown as PipelineState;

const warehouse = {
  kind: 'warehouse',
  id: WORKSPACE,
  platform: 'PostgreSQL',
  settings: seals.seal('{"password":"warehouse-password"}', WORKSPACE),
  mcpSettings: seals.seal('{"password":"mcp-password"}', WORKSPACE),
  mode: 'Normal',
  version: 1,
} as unknown as WarehouseState;

it('returns actor, type and time, and the states before and after', async () => {
  const before = { ...http.state, name: 'Before' };
  const { facts } = await shown(fact(http.state, { before }));
  expect(facts).toEqual([
    {
      position: 7,
      time: '2026-03-01T09:30:00.000Z',
      actor: 'key-1',
      requestId: 'request-1',
      causation: 'command-1',
      hash: 'h1',
      type: 'ConnectionUpdated',
      object: { kind: 'connection', id: 'object0000000001' },
      version: 2,
      before: expect.objectContaining({ name: 'Before' }) as object,
      after: {
        id: http.state.id,
        workspace: WORKSPACE,
        name: 'http',
        connector: 'http',
        connectorType: 'Application',
        role: 'Destination',
        sendingMode: null,
        version: 1,
        deleted: false,
        links: [],
        settings: { url: 'https://example.com', auth: { type: 'bearer', token: '••••1234' } },
        writeKeys: [`••••${http.key.slice(-4)}`],
      },
    },
  ]);
});

it('returns the delivery settings of a destination under their API names', async () => {
  const delivery = { ordering: 'none', maxAgeSeconds: 60, timeoutSeconds: 5 } as const;
  const { facts } = await shown(fact({ ...http.state, delivery }, { before: http.state }));
  const [{ before, after }] = facts as [{ before: object; after: object }];
  expect(before).not.toHaveProperty('delivery');
  expect(after).toMatchObject({ delivery: { ordering: 'none', maxAge: 60, timeout: 5 } });
});

it('returns no secret, sealed or plain, and no hash of a key', async () => {
  const states: ConfigurationState[] = [
    organization({ apiKeys: [reader.record, ofOrganization.record] }),
    workspace(),
    http.state,
    { ...http.state, connector: 'gone' },
    { ...http.state, settings: 'v1:of-another-key' },
    pipeline,
    warehouse,
  ];
  const { text, facts } = await shown(...states.map((state) => fact(state, { before: state })));
  expect(facts).toHaveLength(states.length);
  const [key] = http.state.writeKeys;
  for (const secret of [
    TOKEN,
    'warehouse-password',
    'mcp-password',
    http.key,
    http.state.settings,
    key?.hash,
    key?.sealed,
    reader.record.hash,
    ofOrganization.record.hash,
    warehouse.settings,
    warehouse.mcpSettings,
  ]) {
    expect(secret).toMatch(/./);
    expect(text).not.toContain(secret);
  }
  expect(text).not.toMatch(/v[12]:/);
  expect(text).toContain(reader.record.hint);
});

describe('the audit of a deleted workspace', () => {
  const deleted = { ...workspace(DELETED), version: 2, deleted: true } as WorkspaceState;
  const gone = new Seals(secrets, () => newDataKey(secrets, WORKSPACE));
  const erased: ConnectionState = {
    ...http.state,
    settings: gone.seal(`{"token":"${TOKEN}"}`, WORKSPACE),
    writeKeys: [{ hash: 'h', sealed: gone.seal(http.key, WORKSPACE) }],
  };

  beforeAll(() => stand.configure(workspace(DELETED), deleted));

  const look = (path: string, { key }: { key: string }): Promise<Answered> =>
    send(stand.url(path), {
      method: 'GET',
      headers: { Authorization: `Bearer ${key}`, 'Penstock-Workspace': DELETED },
    });

  it('returns sealed values as erased, and all others', async () => {
    pipelineService.answer('ListFacts', { facts: [fact(erased)], cursor: '' });
    const answered = await look('/v1/audit', ofOrganization);
    expect(answered.status).toBe(200);
    expect(pipelineService.calls).toMatchObject([{ name: 'ListFacts', about: DELETED }]);
    expect(jsonOf(answered)).toMatchObject({
      facts: [{ after: { name: 'http', settings: 'erased', writeKeys: ['erased'] } }],
    });
    expect(answered.text).not.toContain('v2:');
  });

  it('is returned to organization keys, while all its other routes answer 404', async () => {
    expect((await look('/v1/connections', ofOrganization)).status).toBe(404);
    expect((await look('/v1/audit', ofDeleted)).status).toBe(404);
    expect((await look('/v1/audit', reader)).status).toBe(404);
    expect(pipelineService.calls).toEqual([]);
  });

  it('answers 404 for a connection that is read during the deletion', async () => {
    await stand.configure(erased);
    const answered = await ask(`/v1/connections/${erased.id}`);
    expect(answered.status).toBe(404);
    expect(jsonOf(answered)).toMatchObject({ error: { code: 'WorkspaceNotExist' } });
  });
});

it('returns filter, mapping and schema of a pipeline unchanged, with every digit', async () => {
  const { text } = await shown(fact(pipeline));
  expect(text).toContain(`"filter":${pipeline.filter ?? ''}`);
  expect(text).toContain(`"outSchema":${pipeline.outSchema ?? ''}`);
  expect(text).toContain('"mapping":{"hash":"traits.hash"}');
});

it('marks facts whose states are too large to be returned', async () => {
  const { facts } = await shown(fact(null, { isCut: true }));
  expect(facts).toMatchObject([{ before: null, after: null, isCut: true }]);
});

describe('the query sent to the pipeline service', () => {
  it.each<[string, object]>([
    ['', { limit: 100, cursor: '' }],
    ['?limit=5&cursor=17', { limit: 5, cursor: '17' }],
    [
      '?object=o&type=PipelineCreated&actor=a&requestId=r',
      { limit: 100, cursor: '', object: 'o', type: 'PipelineCreated', actor: 'a', requestId: 'r' },
    ],
    [
      '?from=2026-03-01T09:30:00Z&to=2026-03-01T10:30:00.123456%2B01:00',
      {
        limit: 100,
        cursor: '',
        from: '2026-03-01T09:30:00.000Z',
        to: '2026-03-01T09:30:00.123Z',
      },
    ],
  ])('is that of the parameters "%s"', async (query, wanted) => {
    expect((await ask(`/v1/audit${query}`)).status).toBe(200);
    expect(pipelineService.calls).toMatchObject([{ name: 'ListFacts', about: WORKSPACE }]);
    expect(pipelineService.calls[0]?.in).toEqual({ ...wanted, ofOrganization: false });
  });

  it("includes the organization's facts for an organization key", async () => {
    await ask('/v1/audit', ofOrganization);
    expect(pipelineService.calls[0]?.in).toMatchObject({ ofOrganization: true });
  });

  it.each([
    ['?page=1', '/page'],
    ['?limit=0', '/limit'],
    ['?from=yesterday', '/from'],
    ['?to=2026-03-01', '/to'],
    ['?type=a&type=b', '/type'],
  ])('is not sent for %s', async (query, path) => {
    const answered = await ask(`/v1/audit${query}`);
    expect(answered.status).toBe(400);
    expect(jsonOf(answered)).toMatchObject({ error: { code: 'BadRequest', details: [{ path }] } });
  });
});

describe('an object at an earlier time', () => {
  const ID = 'object0000000001';

  it.each([
    ['connections', 'GetConnectionAsOf', 'ConnectionNotExist'],
    ['pipelines', 'GetPipelineAsOf', 'PipelineNotExist'],
  ] as const)('is queried among %s', async (path, query, code) => {
    pipelineService.answer(query, new Refusal(code));
    const at = '2026-03-01T09:30:00.5Z';
    const answered = await ask(`/v1/${path}/${ID}?at=${at}`);
    expect(answered.status).toBe(404);
    expect(jsonOf(answered)).toMatchObject({ error: { code } });
    expect(pipelineService.calls[0]?.in).toEqual({ id: ID, at: '2026-03-01T09:30:00.500Z' });
    expect((await ask(`/v1/${path}/${ID}`)).status).toBe(404);
    expect(pipelineService.calls).toHaveLength(1);
  });

  it.each([
    '2026-03-01',
    '2026-03-01T09:30:00',
    '2026-03-01 09:30:00Z',
    '2026-02-30T09:30:00Z',
    '2026-03-01T25:00:00Z',
    '0000-03-01T09:30:00Z',
    'now',
    '',
  ])('at %j is answered 400', async (at) => {
    const answered = await ask(`/v1/connections/${ID}?at=${encodeURIComponent(at)}`);
    expect(answered.status).toBe(400);
    expect(jsonOf(answered)).toMatchObject({ error: { details: [{ path: '/at' }] } });
    expect(pipelineService.calls).toEqual([]);
  });
});

it("returns the heads of the chains, the organization's only to an organization key", async () => {
  const own = { position: 7, hash: 'h7' };
  pipelineService.answer('GetAuditHead', { workspace: own, organization: null });
  expect(jsonOf(await ask('/v1/audit/head'))).toEqual({ workspace: own, organization: null });
  await ask('/v1/audit/head', ofOrganization);
  expect(pipelineService.calls.map((call) => call.in)).toEqual([
    { ofOrganization: false },
    { ofOrganization: true },
  ]);
});
