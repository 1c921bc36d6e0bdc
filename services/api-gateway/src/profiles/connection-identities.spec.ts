import { type ConnectionId, type PipelineId, Refusal, type RefusalCode } from '@penstock/contracts';
import { GatewayStand } from '../testing/gateway.fixture';
import { type Answered, jsonOf, send } from '../testing/http.fixture';
import { apiKey, organization, workspace, WORKSPACE } from '../testing/installation.fixture';

const reader = apiKey('read');
const stand = new GatewayStand();
const { pipelineService } = stand;

beforeAll(async () => {
  await stand.configure(organization({ apiKeys: [reader.record] }), workspace());
  await stand.start();
});
afterAll(() => stand.stop());
beforeEach(() => {
  pipelineService.calls.length = 0;
});

const ID = 'object0000000001';
const CURSOR = 'v2:object0000000002:abc-_9';

const ask = (query = '', id = ID): Promise<Answered> =>
  send(stand.url(`/v1/connections/${id}/identities${query}`), {
    method: 'GET',
    headers: { Authorization: `Bearer ${reader.key}` },
  });

const common = {
  connection: ID as ConnectionId,
  pipeline: 'object0000000003' as PipelineId,
  profile: null,
  updatedAt: '2026-03-01T09:30:00.123456Z',
};

it('are answered with the members that they have', async () => {
  const identities = [
    { ...common, userId: 'ada', anonymousIds: ['a', 'b'] },
    { ...common, userId: 'eve', profile: 'c0ffee00-0000-4000-8000-000000000001' },
    { ...common, anonymousIds: ['x'] },
  ];
  pipelineService.answer('ListConnectionIdentities', { identities, cursor: CURSOR });
  const answered = await ask();
  expect(answered.status).toBe(200);
  expect(jsonOf(answered)).toEqual({ identities, cursor: CURSOR });
  expect(pipelineService.calls).toMatchObject([
    {
      name: 'ListConnectionIdentities',
      about: ID,
      in: { connection: ID, limit: 100, cursor: '' },
      metadata: { caller: { workspace: WORKSPACE } },
    },
  ]);
});

it.each([
  ['?limit=1', { limit: 1, cursor: '' }],
  ['?limit=1000&cursor=', { limit: 1_000, cursor: '' }],
  [`?cursor=${encodeURIComponent(CURSOR)}`, { limit: 100, cursor: CURSOR }],
  [`?cursor=${CURSOR}`, { limit: 100, cursor: CURSOR }],
])('come in pages: %s', async (query, expected) => {
  pipelineService.answer('ListConnectionIdentities', { identities: [], cursor: '' });
  expect((await ask(query)).text).toBe('{"identities":[],"cursor":""}');
  expect(pipelineService.calls).toMatchObject([{ in: expected }]);
});

it.each([
  ['?limit=0', '/limit'],
  ['?limit=1001', '/limit'],
  [`?cursor=${'x'.repeat(201)}`, '/cursor'],
  ['?cursor=a&cursor=b', '/cursor'],
  ['?order=a', '/order'],
])('are not asked for with %s', async (query, path) => {
  const answered = await ask(query);
  expect(answered.status).toBe(400);
  expect(jsonOf(answered)).toMatchObject({ error: { code: 'BadRequest', details: [{ path }] } });
  expect(pipelineService.calls).toEqual([]);
});

it('are those of a connection: an impossible id is 404', async () => {
  expect((await ask('', 'nothing')).status).toBe(404);
  expect(pipelineService.calls).toEqual([]);
});

it.each<[RefusalCode, number]>([
  ['ConnectionNotExist', 404],
  ['InvalidWarehouseSettings', 422],
  ['MaintenanceMode', 422],
  ['DifferentWarehouse', 422],
  ['ServiceUnavailable', 503],
])('are refused with %s: %i', async (code, status) => {
  pipelineService.answer('ListConnectionIdentities', new Refusal(code));
  const answered = await ask();
  expect(answered.status).toBe(status);
  expect(jsonOf(answered)).toMatchObject({ error: { code } });
});
