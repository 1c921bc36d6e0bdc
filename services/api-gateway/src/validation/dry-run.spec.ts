import {
  type Commands,
  type ConnectionId,
  OPERATIONS,
  type OperationName,
} from '@penstock/contracts';
import { CONTROLLERS } from '../api-gateway.module';
import { type Operation, operationsOf } from '../openapi/operations';
import { schemaOf } from '../openapi/schema/members';
import { GatewayStand } from '../testing/gateway.fixture';
import { jsonOf, send } from '../testing/http.fixture';
import { apiKey, organization, seals, workspace, WORKSPACE } from '../testing/installation.fixture';

const admin = apiKey('admin', { workspace: null });
const stand = new GatewayStand();
const { pipelineService } = stand;

beforeAll(async () => {
  await stand.configure(organization({ apiKeys: [admin.record] }), workspace());
  await stand.start();
  pipelineService.script('CreateApiKey', ({ id }) => ({ id }));
  pipelineService.script('CreateWorkspace', ({ id }) => ({ id }));
  pipelineService.script('CreatePipeline', ({ id }) => ({ id }));
  pipelineService.script('CreateAlert', ({ id }) => ({ id }));
  pipelineService.script('CreateConnection', ({ id }) => ({ id }));
  pipelineService.script('ChangeProfileSchema', () => ({ affectedPipelines: [] }));
  for (const name of ['UpdateWarehouse', 'SetWarehouseMode'] as const)
    pipelineService.script(name, () => ({ mode: { from: 'Normal', to: 'Normal' } }));
  pipelineService.script('CreateEventWriteKey', () => ({ sealed: seals.seal('key', WORKSPACE) }));
});
afterAll(() => stand.stop());
beforeEach(() => {
  pipelineService.calls.length = 0;
  pipelineService.ended.length = 0;
});

const ROUTES = operationsOf(CONTROLLERS)
  .filter(({ description, method }) => description !== undefined && method !== 'GET')
  .map((route) => [`${route.method} ${route.path}`, route] as const);

const canBeTried = ({ performs }: Operation): boolean =>
  performs.some((name) => OPERATIONS[name].hasDryRun);

const ask = ({ method, path, body }: Operation, query: string, headers: object = {}) => {
  const [example] = body === undefined ? [] : (schemaOf(body.shape)['examples'] as object[]);
  return send(stand.url(`${path.replace(/\{\w+\}/g, 'object0000000001')}${query}`), {
    method,
    headers: {
      Authorization: `Bearer ${admin.key}`,
      'Content-Type': 'application/json',
      ...headers,
    },
    ...(example !== undefined && { body: JSON.stringify(example) }),
  });
};

it('is available for every create, update and delete of the configuration', () => {
  const without = ROUTES.filter(([, route]) => !canBeTried(route)).map(([name]) => name);
  expect(without.sort()).toEqual([
    'POST /v1/connections/{id}/preview-send-event',
    'POST /v1/connections/{id}/query',
    'POST /v1/identity-resolution/cancel',
    'POST /v1/identity-resolution/start',
    'POST /v1/pipelines/runs/{id}/cancel',
    'POST /v1/pipelines/runs/{id}/replay',
    'POST /v1/pipelines/{id}/redrives',
    'POST /v1/pipelines/{id}/redrives/{job}/cancel',
    'POST /v1/pipelines/{id}/replays',
    'POST /v1/pipelines/{id}/replays/{job}/cancel',
    'POST /v1/pipelines/{id}/runs',
    'POST /v1/profiles/{profile}/erase',
    'POST /v1/warehouse/repair',
    'PUT /v1/profiles/schema/preview',
    'PUT /v1/warehouse/test',
  ]);
});

describe.each(ROUTES.filter(([, route]) => canBeTried(route)))('%s', (_, route) => {
  it.each([
    ['', undefined],
    ['?dryRun=false', false],
    ['?dryRun=true', true],
  ])('with the query "%s" forwards %s', async (query, isDryRun) => {
    expect(await ask(route, query)).toMatchObject({ status: 200 });
    expect(pipelineService.calls.map(({ metadata }) => metadata.isDryRun)).toEqual([isDryRun]);
  });

  it.each(['yes', '1', '', 'TRUE', 'true&dryRun=true'])('is 400 with dryRun=%s', async (value) => {
    const answer = await ask(route, `?dryRun=${value}`, { 'Idempotency-Key': 'k' });
    expect(answer.status).toBe(400);
    expect(jsonOf(answer)).toMatchObject({ error: { details: [{ path: '/dryRun' }] } });
    expect(pipelineService.calls).toEqual([]);
  });
});

it.each(ROUTES.filter(([, route]) => !canBeTried(route)))('%s has no dry run', async (_, route) => {
  const answer = await ask(route, '?dryRun=true');
  expect(jsonOf(answer)).toMatchObject({
    error: { details: [{ path: '/dryRun', message: 'unknown parameter' }] },
  });
  expect(pipelineService.calls).toEqual([]);
});

const named = (operation: OperationName): Operation => {
  const found = ROUTES.find(([, { performs }]) => performs.includes(operation));
  if (found === undefined) throw new Error(`no route performs ${operation}`);
  return found[1];
};

it('neither gets a stored answer nor has its answer stored', async () => {
  const route = named('CreateConnection');
  const headers = { 'Idempotency-Key': 'once' };
  const ids: ConnectionId[] = [];
  pipelineService.script('CreateConnection', ({ id }: Commands['CreateConnection']['in']) => {
    ids.push(id);
    return { id };
  });
  const tried = await ask(route, '?dryRun=true', headers);
  expect(pipelineService.ended).toEqual([]);
  const done = await ask(route, '', headers);
  const triedAgain = await ask(route, '?dryRun=true', headers);
  expect([tried, done, triedAgain].map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(new Set(ids).size).toBe(3);
  expect(triedAgain.headers).not.toHaveProperty('idempotent-replayed');
  const [first, second, third] = pipelineService.calls.map(({ metadata }) => metadata.commandId);
  expect([first, third]).toEqual([undefined, undefined]);
  expect(second).toMatch(/./);
});

it('validates its Idempotency-Key like every request', async () => {
  const long = { 'Idempotency-Key': 'x'.repeat(256) };
  const answer = await ask(named('CreateConnection'), '?dryRun=true', long);
  expect(jsonOf(answer)).toMatchObject({ error: { details: [{ path: '/Idempotency-Key' }] } });
});

it('is documented wherever it is available', () => {
  for (const [, { description, performs }] of ROUTES) {
    const names = (description?.query ?? []).map(({ name }) => name);
    const has = performs.some((name) => OPERATIONS[name].hasDryRun);
    expect(names.includes('dryRun')).toBe(has);
  }
});
