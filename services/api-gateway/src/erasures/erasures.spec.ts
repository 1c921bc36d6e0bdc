import { type ErasureView, Refusal } from '@penstock/contracts';
import { GatewayStand } from '../testing/gateway.fixture';
import { jsonOf, send } from '../testing/http.fixture';
import { apiKey, organization, workspace, WORKSPACE } from '../testing/installation.fixture';

const [reader, writer] = [apiKey('read'), apiKey('write')];
const stand = new GatewayStand();
const { pipelineService } = stand;

beforeAll(async () => {
  const apiKeys = [reader, writer].map(({ record }) => record);
  await stand.configure(organization({ apiKeys }), workspace());
  await stand.start();
  pipelineService.script('EraseProfile', () => ({ id: 'erasure1' as never }));
});
afterAll(() => stand.stop());
beforeEach(() => {
  pipelineService.calls.length = 0;
});

const ID = 'c0ffee00-0000-4000-8000-00000000000a';

const ask = (method: string, path: string, { key } = writer) =>
  send(stand.url(`/v1${path}`), { method, headers: { Authorization: `Bearer ${key}` } });

it('asks for the erasure of a profile, with scope write', async () => {
  const answered = await ask('POST', `/profiles/${ID.toUpperCase()}/erase`);
  expect(answered.status).toBe(200);
  expect(jsonOf(answered)).toEqual({ id: 'erasure1' });
  expect(pipelineService.calls).toMatchObject([
    { name: 'EraseProfile', about: WORKSPACE, in: { profile: ID } },
  ]);
  expect(await ask('POST', `/profiles/${ID}/erase`, reader)).toMatchObject({ status: 403 });
});

it.each(['ProfileNotExist', 'MaintenanceMode'] as const)('passes %s on', async (code) => {
  pipelineService.answer('EraseProfile', new Refusal(code));
  const answered = await ask('POST', `/profiles/${ID}/erase`);
  expect(answered.status).toBe(code === 'ProfileNotExist' ? 404 : 422);
  expect(jsonOf(answered)).toMatchObject({ error: { code } });
});

it('knows no profile whose id is no UUID, and asks nobody', async () => {
  expect(await ask('POST', '/profiles/nobody/erase')).toMatchObject({ status: 404 });
  expect(pipelineService.calls).toEqual([]);
});

it('answers an erasure as an executor does, which knows what the gateway knows', async () => {
  const view: ErasureView = {
    ...{ id: 'erasure1' as never, profile: ID, requestedAt: '2026-03-01T09:30:00.000Z' as never },
    ...{ endedAt: null, error: 'it is away' },
    counts: { profiles: 1, identities: 3, history: 2, events: 7, samples: 0 },
  };
  pipelineService.answer('GetErasure', view);
  const answered = await ask('GET', '/erasures/erasure1', reader);
  expect(jsonOf(answered)).toEqual(view);
  expect(pipelineService.calls).toMatchObject([
    { name: 'GetErasure', in: { id: 'erasure1', seen: expect.any(Number) as number } },
  ]);
  pipelineService.answer('GetErasure', new Refusal('ErasureNotExist'));
  expect(await ask('GET', '/erasures/other', reader)).toMatchObject({ status: 404 });
});
