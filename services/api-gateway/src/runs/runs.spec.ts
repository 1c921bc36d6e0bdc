import { Refusal } from '@penstock/contracts';
import { GatewayStand } from '../testing/gateway.fixture';
import { jsonOf, send, type Sent } from '../testing/http.fixture';
import { apiKey, organization, workspace } from '../testing/installation.fixture';

const ID = 'object0000000001';
const writer = apiKey('write');
const stand = new GatewayStand();
const { pipelineService } = stand;

beforeAll(async () => {
  await stand.configure(organization({ apiKeys: [writer.record] }), workspace());
  await stand.start();
});
afterAll(() => stand.stop());
beforeEach(() => {
  pipelineService.calls.length = 0;
});

const ask = (call: string, body?: string) => {
  const [method = '', path = ''] = call.split(' ');
  const sent: Sent = {
    method,
    headers: {
      Authorization: `Bearer ${writer.key}`,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body }),
  };
  return send(stand.url(path), sent);
};

const [SCHEDULE, RUN, LIST] = [
  `PUT /v1/pipelines/${ID}/schedule`,
  `POST /v1/pipelines/${ID}/runs`,
  'GET /v1/pipelines/runs',
];

it.each<[call: string, body: string | undefined, status: number, code: string, path?: string]>([
  [SCHEDULE, undefined, 400, 'BadRequest', ''],
  [SCHEDULE, '{}', 400, 'BadRequest', '/period'],
  [SCHEDULE, '{"period":"7m"}', 400, 'BadRequest', '/period'],
  [SCHEDULE, '{"period":5}', 400, 'BadRequest', '/period'],
  [SCHEDULE, '{"period":"5m","at":1}', 400, 'BadRequest', '/at'],
  ['PUT /v1/pipelines/x/schedule', '{"period":null}', 404, 'PipelineNotExist'],
  [RUN, '[]', 400, 'BadRequest', ''],
  [RUN, '{"incremental":"yes"}', 400, 'BadRequest', '/incremental'],
  [RUN, '{"full":true}', 400, 'BadRequest', '/full'],
  ['POST /v1/pipelines/x/runs', undefined, 404, 'PipelineNotExist'],
  [`${LIST}?limit=0`, undefined, 400, 'BadRequest', '/limit'],
  [`${LIST}?cursor=more`, undefined, 400, 'BadRequest', '/cursor'],
  [`${LIST}?status=Done`, undefined, 400, 'BadRequest', '/status'],
  [`${LIST}?from=yesterday`, undefined, 400, 'BadRequest', '/from'],
  [`${LIST}?to=2026-01-01`, undefined, 400, 'BadRequest', '/to'],
  [`${LIST}?pipeline=a&pipeline=b`, undefined, 400, 'BadRequest', '/pipeline'],
  [`${LIST}?connection=a`, undefined, 400, 'BadRequest', '/connection'],
  [`GET /v1/pipelines/runs/${ID}`, undefined, 404, 'RunNotExist'],
  [`POST /v1/pipelines/runs/${ID}/cancel`, undefined, 404, 'RunNotExist'],
  ['GET /v1/pipelines/runs/x', undefined, 404, 'RunNotExist'],
])('%s %s', async (...[call, body, status, code, path]) => {
  const answered = await ask(call, body);
  const { error } = jsonOf(answered) as { error: { code: string; details?: { path: string }[] } };
  expect([answered.status, error.code, error.details?.[0]?.path]).toEqual([status, code, path]);
  expect(pipelineService.calls).toEqual([]);
});

it.each<[call: string, body: string | undefined, name: string, input: object]>([
  [SCHEDULE, '{"period":"24h"}', 'SetSchedulePeriod', { period: '24h' }],
  [SCHEDULE, '{"period":null}', 'SetSchedulePeriod', { period: null }],
  [RUN, undefined, 'RunPipeline', { incremental: null }],
  [RUN, '{}', 'RunPipeline', { incremental: null }],
  [RUN, '{"incremental":null}', 'RunPipeline', { incremental: null }],
  [RUN, '{"incremental":true}', 'RunPipeline', { incremental: true }],
])('%s %s is refused by the pipeline service', async (call, body, name, input) => {
  for (const each of ['SetSchedulePeriod', 'RunPipeline'] as const)
    pipelineService.answer(each, new Refusal('PipelineNotRunnable'));
  const answered = await ask(call, body);
  expect(answered.status).toBe(422);
  expect(jsonOf(answered)).toEqual({
    error: { code: 'PipelineNotRunnable', message: 'pipeline cannot be run' },
  });
  expect(pipelineService.calls).toMatchObject([{ name, about: ID, in: { id: ID, ...input } }]);
});

it('the list of runs is empty', async () => {
  const all = `pipeline=${ID}&status=Failed&from=2026-01-01T00:00:00Z&to=2027-01-01T00:00:00%2B02:00`;
  for (const call of [LIST, `${LIST}?${all}&limit=1000`])
    expect(await ask(call)).toMatchObject({ status: 200, text: '{"runs":[],"cursor":""}' });
});

it.each([
  ['DELETE /v1/pipelines/runs', 'GET, HEAD'],
  [`PUT /v1/pipelines/runs/${ID}`, 'GET, HEAD'],
  [`GET /v1/pipelines/runs/${ID}/cancel`, 'POST'],
  [`GET /v1/pipelines/${ID}/runs`, 'POST'],
  [`POST /v1/pipelines/${ID}/schedule`, 'PUT'],
])('%s is answered 405', async (call, allow) => {
  expect(await ask(call)).toMatchObject({ status: 405, headers: { allow } });
});
