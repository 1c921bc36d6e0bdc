import {
  type ConnectionId,
  type Instant,
  type LiveRun,
  type PipelineId,
  Refusal,
  type RunErrorView,
  type RunId,
  type RunView,
} from '@penstock/contracts';
import { GatewayStand } from '../testing/gateway.fixture';
import { jsonOf, send, type Sent } from '../testing/http.fixture';
import { apiKey, organization, workspace, WORKSPACE } from '../testing/installation.fixture';

const ID = 'object0000000001';
const PIPELINE = 'object0000000002' as PipelineId;
const TIME = '2026-03-01T09:30:00.000Z' as Instant;
const ZEROS = [0, 0, 0, 0, 0, 0];
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
  [`${LIST}?pipeline=a%00`, undefined, 400, 'BadRequest', '/pipeline'],
  [`${LIST}?pipeline=${'a'.repeat(101)}`, undefined, 400, 'BadRequest', '/pipeline'],
  [`${LIST}?connection=a`, undefined, 400, 'BadRequest', '/connection'],
  [`GET /v1/pipelines/runs/${ID}/errors?limit=0`, undefined, 400, 'BadRequest', '/limit'],
  ['POST /v1/pipelines/runs/x/cancel', undefined, 404, 'RunNotExist'],
  ['POST /v1/pipelines/runs/x/replay', undefined, 404, 'RunNotExist'],
  ['GET /v1/pipelines/x/history', undefined, 404, 'PipelineNotExist'],
  [`GET /v1/pipelines/${ID}/history?limit=0`, undefined, 400, 'BadRequest', '/limit'],
  ['GET /v1/pipelines/runs/x', undefined, 404, 'RunNotExist'],
  ['GET /v1/pipelines/runs/x/errors', undefined, 404, 'RunNotExist'],
  ['GET /v1/pipelines/runs/x/history', undefined, 404, 'RunNotExist'],
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

const RUN_VIEW: RunView = {
  ...{ id: ID as RunId, pipeline: PIPELINE, pipelineName: 'Users' },
  ...{ connection: 'object0000000003' as ConnectionId, pipelineVersion: 2, trigger: 'API' },
  ...{
    replayMode: null,
    status: 'Running',
    incremental: false,
    startingCursor: null,
    startTime: TIME,
    endTime: null,
  },
  ...{ passed: ZEROS, failed: ZEROS, error: '', attempt: 1, purged: 0, warnings: ['w'] },
  waiting: { since: TIME, reason: 'it is away', nextAttemptAt: TIME },
  progress: {
    passed: [3, 3, 3, 3, 3, 2],
    failed: [0, 0, 0, 0, 0, 1],
    rate: 0.4,
    eta: null,
    total: null,
  },
};

const RUN_TEXT = {
  ...RUN_VIEW,
  progress: { ...RUN_VIEW.progress, rate: 0 },
};

it('lists runs, with what this gateway has seen of the configuration', async () => {
  pipelineService.answer('ListRuns', { runs: [RUN_VIEW], cursor: 'object0000000009' });
  const all = `pipeline=${ID}&status=Failed&from=2026-01-01T00:00:00Z&to=2027-01-01T00:00:00%2B02:00`;
  expect(jsonOf(await ask(`${LIST}?${all}&limit=1000`))).toEqual({
    ...{ runs: [RUN_TEXT], cursor: 'object0000000009' },
  });
  expect(pipelineService.calls).toMatchObject([
    {
      name: 'ListRuns',
      in: {
        ...{ pipeline: ID, status: 'Failed', limit: 1_000, cursor: '' },
        ...{ from: '2026-01-01T00:00:00.000Z', to: '2026-12-31T22:00:00.000Z' },
        seen: expect.any(Number) as number,
      },
    },
  ]);
});

describe('without limit and cursor', () => {
  const CURSORS = ['', 'object0000000008', 'object0000000007'];
  const runAt = (index: number): RunView => ({
    ...RUN_VIEW,
    id: `run000000000000${String(index)}` as RunId,
  });

  it('lists all runs, page by page, in one answer without a cursor', async () => {
    pipelineService.script('ListRuns', ({ cursor }) => {
      const index = CURSORS.indexOf(cursor);
      return { runs: [runAt(index)], cursor: CURSORS[index + 1] ?? '' };
    });
    const { runs, ...rest } = jsonOf(await ask(`${LIST}?status=Failed`)) as { runs: RunView[] };
    expect([runs.map(({ id }) => id), rest]).toEqual([CURSORS.map((_, at) => runAt(at).id), {}]);
    expect(pipelineService.calls.map((call) => call.in)).toMatchObject(
      CURSORS.map((cursor) => ({ cursor, limit: 1_000, status: 'Failed', pipeline: null })),
    );
    const head = await ask(LIST.replace('GET', 'HEAD'));
    expect([head.status, head.text]).toEqual([200, '']);
  });

  it('lists no runs', async () => {
    pipelineService.answer('ListRuns', { runs: [], cursor: '' });
    expect((await ask(LIST)).text).toBe('{"runs":[]}');
  });

  it.each(['limit=2', 'cursor=', 'limit=100&cursor='])('answers a page with %s', async (query) => {
    pipelineService.answer('ListRuns', { runs: [], cursor: 'object0000000009' });
    expect((await ask(`${LIST}?${query}`)).text).toBe('{"runs":[],"cursor":"object0000000009"}');
  });

  it('ends an answer in the middle when a page cannot be had', async () => {
    pipelineService.script('ListRuns', ({ cursor }) => {
      if (cursor !== '') throw new Refusal('ServiceUnavailable', { message: 'away' });
      return { runs: [runAt(0)], cursor: 'object0000000008' };
    });
    const headers = { Authorization: `Bearer ${writer.key}` };
    const answered = fetch(stand.url('/v1/pipelines/runs'), { headers });
    await expect(answered.then((response) => response.text())).rejects.toThrow(TypeError);
  });

  it('reads no faster than the client, and no longer', async () => {
    const warnings = ['w'.repeat(100_000)];
    pipelineService.script('ListRuns', () => ({
      runs: [{ ...RUN_VIEW, warnings }],
      cursor: 'object0000000008',
    }));
    const headers = { Authorization: `Bearer ${writer.key}` };
    const gone = new AbortController();
    const { body } = await fetch(stand.url('/v1/pipelines/runs'), { headers, signal: gone.signal });
    await untilNoMoreCalls();
    const waiting = pipelineService.calls.length;
    await body?.getReader().read();
    gone.abort();
    await untilNoMoreCalls();
    expect(waiting).toBeLessThan(1_000);
    expect(pipelineService.calls.length).toBeLessThan(1_000);
  });
});

/** Resolves when no call has come for as long as a hundred take. */
const untilNoMoreCalls = async (): Promise<void> => {
  for (let before = -1; before !== pipelineService.calls.length;) {
    before = pipelineService.calls.length;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
};

it('shows a run, its errors and its history', async () => {
  pipelineService.answer('GetRun', RUN_VIEW);
  expect(jsonOf(await ask(`GET /v1/pipelines/runs/${ID}`))).toEqual(RUN_TEXT);
  const error: RunErrorView = {
    ...{ step: 'Filter', code: 'c', message: 'm', count: 2, firstAt: TIME, lastAt: TIME },
    samples: ['u1'],
    places: ['line 5'],
    advice: 'correct it',
    texts: [{ sample: 'u1', text: 'Error: u1' }],
  };
  pipelineService.answer('ListRunErrors', { errors: [error], cursor: '2-2-7' });
  expect(jsonOf(await ask(`GET /v1/pipelines/runs/${ID}/errors?limit=1`))).toEqual({
    ...{ errors: [error], cursor: '2-2-7' },
  });
  const fact = { type: 'RunClaimed', time: TIME, actor: 'system' } as const;
  pipelineService.answer('ListRunFacts', { facts: [{ ...fact, data: '{"epoch":1}' }], cursor: '' });
  expect(jsonOf(await ask(`GET /v1/pipelines/runs/${ID}/history?cursor=4`))).toEqual({
    ...{ facts: [{ ...fact, data: { epoch: 1 } }], cursor: '' },
  });
  expect(pipelineService.calls.at(-1)).toMatchObject({ in: { id: ID, cursor: '4' } });
});

it('replays a run from where it has begun', async () => {
  const startingCursor = '2026-03-01T09:30:00.000000Z';
  pipelineService.answer('GetRun', { ...RUN_VIEW, startingCursor });
  pipelineService.answer('ReplayRun', { id: 'object0000000009' });
  const answered = await ask(`POST /v1/pipelines/runs/${ID}/replay`);
  expect([answered.status, jsonOf(answered)]).toEqual([200, { id: 'object0000000009' }]);
  expect(pipelineService.calls).toMatchObject([
    { name: 'GetRun' },
    {
      name: 'ReplayRun',
      about: PIPELINE,
      in: { id: PIPELINE, run: ID, cursor: startingCursor },
    },
  ]);
});

it('shows the history of a pipeline, and JSON texts in it as what they say', async () => {
  const fact = { type: 'PipelineCreated', time: TIME, actor: 'key1' } as const;
  const data = {
    ...{ name: 'Users', filter: null, outSchema: '{"kind":"object"}' },
    imports: { incremental: true, inSchema: '{"kind":"object"}', source: { formatSettings: '{}' } },
  };
  pipelineService.answer('ListPipelineFacts', {
    ...{ facts: [{ ...fact, data: JSON.stringify(data) }], cursor: '7' },
  });
  expect(jsonOf(await ask(`GET /v1/pipelines/${PIPELINE}/history?limit=1&cursor=3`))).toEqual({
    facts: [
      {
        ...fact,
        data: {
          ...{ name: 'Users', filter: null, outSchema: { kind: 'object' } },
          imports: {
            incremental: true,
            inSchema: { kind: 'object' },
            source: { formatSettings: {} },
          },
        },
      },
    ],
    cursor: '7',
  });
  expect(pipelineService.calls).toMatchObject([
    {
      ...{ name: 'ListPipelineFacts', about: PIPELINE },
      in: { id: PIPELINE, limit: 1, cursor: '3' },
    },
  ]);
});

it('cancels a run that is live, and changes nothing of one that has ended', async () => {
  pipelineService.answer('GetRun', RUN_VIEW);
  expect((await ask(`POST /v1/pipelines/runs/${ID}/cancel`)).status).toBe(200);
  expect(pipelineService.calls.map(({ name }) => name)).toEqual(['GetRun']);
  const live: LiveRun = {
    ...{ run: ID as RunId, trigger: 'API', pipelineVersion: 2, incremental: false, cursor: null },
    ...{ requestedAt: TIME, actor: 'key', slot: null, cancelled: null },
  };
  await stand.configure({
    ...{ kind: 'runs', id: PIPELINE, workspace: WORKSPACE, version: 1, live },
    ...{
      schedule: null,
      scheduledAt: null,
      cursor: null,
      lastSlot: null,
      lastSkipped: null,
      last: null,
    },
  });
  pipelineService.calls.length = 0;
  pipelineService.answer('CancelRun', {});
  expect(jsonOf(await ask(`POST /v1/pipelines/runs/${ID}/cancel`))).toEqual(RUN_TEXT);
  expect(pipelineService.calls).toMatchObject([
    { name: 'GetRun' },
    { name: 'CancelRun', about: PIPELINE, in: { id: PIPELINE, run: ID } },
    { name: 'GetRun' },
  ]);
});

describe('of a replay of events', () => {
  const OF_REPLAY = {
    trigger: 'Replay',
    replayMode: 'deliver',
    incremental: null,
    pipelineVersion: null,
  } as const;
  const REPLAY: RunView = { ...RUN_VIEW, ...OF_REPLAY };

  it('cancels the replay, and shows the run as it is then', async () => {
    pipelineService.answer('GetRun', REPLAY);
    pipelineService.answer('CancelReplay', {});
    const answered = await ask(`POST /v1/pipelines/runs/${ID}/cancel`);
    expect(answered.status).toBe(200);
    expect(jsonOf(answered)).toEqual({ ...RUN_TEXT, ...OF_REPLAY });
    expect(pipelineService.calls).toMatchObject([
      { name: 'GetRun' },
      { name: 'CancelReplay', in: { pipeline: PIPELINE, id: ID } },
      { name: 'GetRun' },
    ]);
  });

  it('changes nothing of one that has ended', async () => {
    pipelineService.answer('GetRun', { ...REPLAY, status: 'Succeeded', endTime: TIME });
    expect((await ask(`POST /v1/pipelines/runs/${ID}/cancel`)).status).toBe(200);
    expect(pipelineService.calls.map(({ name }) => name)).toEqual(['GetRun']);
  });

  it('does not exist for another workspace', async () => {
    pipelineService.answer('GetRun', new Refusal('RunNotExist'));
    expect((await ask(`POST /v1/pipelines/runs/${ID}/cancel`)).status).toBe(404);
    expect(pipelineService.calls.map(({ name }) => name)).toEqual(['GetRun']);
  });
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
