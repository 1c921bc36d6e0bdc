import {
  type DifferenceView,
  type JobId,
  REPLAY_COUNTS,
  REPLAY_DELIVERY_COUNTS,
  Refusal,
  type ReplayView,
} from '@penstock/contracts';
import { GatewayStand } from '../testing/gateway.fixture';
import { type Answered, jsonOf, send } from '../testing/http.fixture';
import {
  apiKey,
  organization,
  source,
  workspace,
  WORKSPACE,
} from '../testing/installation.fixture';

const reader = apiKey('read');
const writer = apiKey('write', { id: 'key-writer' as never });
const stand = new GatewayStand();
const { pipelineService } = stand;
const PIPELINE = 'pipeline00000001';
const JOB = 'replay0000000001' as JobId;
const PATH = `/v1/pipelines/${PIPELINE}/replays`;

const destination = source('http', '{"url":"https://example.com"}', { role: 'Destination' });
const pipeline = {
  kind: 'pipeline',
  id: PIPELINE,
  workspace: WORKSPACE,
  connection: destination.state.id,
  target: 'Event',
  eventType: 'send_event',
  name: 'Carts',
  enabled: true,
  filter: null,
  transformation: null,
  outSchema: null,
  version: 1,
  deleted: false,
} as never;

beforeAll(async () => {
  await stand.configure(
    organization({ apiKeys: [reader.record, writer.record] }),
    workspace(),
    destination.state,
    pipeline,
  );
  await stand.start();
});
afterAll(() => stand.stop());
beforeEach(() => {
  pipelineService.calls.length = 0;
  pipelineService.answer('CreateReplay', { id: JOB });
  pipelineService.answer('CountReplayEvents', { count: 7, isComplete: false });
  pipelineService.answer('CheckReplay', { filter: null, draft: null });
  pipelineService.answer('ListReplays', { replays: [], cursor: '' });
  pipelineService.answer('ListReplayDifferences', { differences: [], cursor: '' });
  pipelineService.answer('CancelReplay', {});
});

const get = (path: string, { key } = reader): Promise<Answered> =>
  send(stand.url(path), { method: 'GET', headers: { Authorization: `Bearer ${key}` } });

const post = (path: string, body?: object, { key } = writer, headers = {}): Promise<Answered> =>
  send(stand.url(path), {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

const BODY = { from: '2026-03-01T00:00:00Z', to: '2026-03-02T00:00:00Z', mode: 'shadow' };
const WANTED = {
  mode: 'shadow',
  from: '2026-03-01T00:00:00.000Z',
  to: '2026-03-02T00:00:00.000Z',
  version: null,
  filter: null,
  draft: null,
};
const FILTER = {
  logical: 'and',
  conditions: [{ property: 'event', operator: 'is', values: ['E'] }],
};
const DRAFT = {
  name: 'Draft',
  connection: destination.state.id,
  target: 'Event',
  eventType: 'send_event',
};

describe('creating', () => {
  it('asks the routers, without a check where nothing is to be checked', async () => {
    const answered = await post(PATH, BODY);
    expect([answered.status, jsonOf(answered)]).toEqual([200, { id: JOB }]);
    expect(pipelineService.calls.map(({ name }) => name)).toEqual(['CreateReplay']);
    expect(pipelineService.calls[0]?.in).toMatchObject({
      id: expect.stringMatching(/^[0-9a-z]{12,26}$/) as string,
      command: null,
      pipeline: PIPELINE,
      wanted: WANTED,
    });
  });

  it('passes on the version', async () => {
    await post(PATH, { ...BODY, version: 3 });
    expect(pipelineService.calls[0]?.in).toMatchObject({ wanted: { ...WANTED, version: 3 } });
  });

  it('passes on that the events are to be delivered', async () => {
    await post(PATH, { ...BODY, mode: 'deliver', version: 3 });
    expect(pipelineService.calls[0]?.in).toMatchObject({
      wanted: { ...WANTED, mode: 'deliver', version: 3 },
    });
  });

  it('lets the pipeline service check filter and draft, and passes on what it answers', async () => {
    const checked = { filter: 'checked', draft: { name: 'checked' } };
    pipelineService.answer('CheckReplay', checked as never);
    await post(PATH, { ...BODY, filter: FILTER, draft: DRAFT });
    expect(pipelineService.calls.map(({ name, in: input }) => [name, input])).toMatchObject([
      [
        'CheckReplay',
        {
          pipeline: PIPELINE,
          filter: JSON.stringify(FILTER),
          draft: { ...DRAFT, filter: null, transformation: null, outSchema: null },
        },
      ],
      ['CreateReplay', { wanted: { ...WANTED, ...checked } }],
    ]);
  });

  it('only counts the events when it is a dry run', async () => {
    const answered = await post(PATH, { ...BODY, dryRun: true });
    expect(jsonOf(answered)).toEqual({ count: 7, isComplete: false });
    expect(pipelineService.calls).toMatchObject([
      { name: 'CountReplayEvents', in: { pipeline: PIPELINE, wanted: WANTED } },
    ]);
  });

  it('is done once for an Idempotency-Key', async () => {
    const headers = { 'Idempotency-Key': 'once' };
    const [first, second] = [
      await post(PATH, BODY, writer, headers),
      await post(PATH, BODY, writer, headers),
    ];
    expect(jsonOf(second)).toEqual(jsonOf(first));
    const created = pipelineService.calls.filter(({ name }) => name === 'CreateReplay');
    expect(created).toHaveLength(1);
    expect(created[0]?.in).toMatchObject({ command: expect.stringMatching(/./) as string });
  });

  it.each([
    [{ from: undefined }, '/from'],
    [{ from: 'yesterday' }, '/from'],
    [{ to: '2026-03-01' }, '/to'],
    [{ to: BODY.from }, '/to'],
    [{ mode: undefined }, '/mode'],
    [{ mode: 'send' }, '/mode'],
    [{ mode: 'deliver', draft: DRAFT }, '/draft'],
    [{ version: 0 }, '/version'],
    [{ version: 2_147_483_648 }, '/version'],
    [{ version: 'newest' }, '/version'],
    [{ version: 1, draft: DRAFT }, '/draft'],
    [{ draft: [] }, '/draft'],
    [{ draft: { ...DRAFT, name: '' } }, '/draft/name'],
    [{ draft: { ...DRAFT, colour: 'red' } }, '/draft/colour'],
    [{ filter: 'all' }, '/filter'],
    [{ dryRun: 'yes' }, '/dryRun'],
    [{ speed: 5 }, '/speed'],
  ])('%j is refused with %s', async (members, path) => {
    const answered = await post(PATH, { ...BODY, ...members });
    expect(answered.status).toBe(400);
    expect(jsonOf(answered)).toMatchObject({ error: { code: 'BadRequest', details: [{ path }] } });
    expect(pipelineService.calls).toEqual([]);
  });

  it('accepts versions at their limits', async () => {
    for (const version of [1, 2_147_483_647])
      expect((await post(PATH, { ...BODY, version })).status).toBe(200);
  });

  it.each([
    ['EventsExpired', 422, 'events of that time are no longer kept'],
    ['PipelineVersionNotExist', 422, 'pipeline does not have the version'],
    ['PipelineDisabled', 422, 'pipeline is disabled'],
    ['ReplayAlreadyRunning', 422, 'pipeline already has a running replay'],
  ] as const)('%s is answered %i', async (code, status, message) => {
    pipelineService.answer('CreateReplay', new Refusal(code));
    const answered = await post(PATH, BODY);
    expect(answered.status).toBe(status);
    expect(jsonOf(answered)).toMatchObject({ error: { code, message } });
  });

  it('and cancelling need scope write', async () => {
    expect((await post(PATH, BODY, reader)).status).toBe(403);
    expect((await post(`${PATH}/${JOB}/cancel`, undefined, reader)).status).toBe(403);
    expect(pipelineService.calls).toEqual([]);
  });
});

const view = {
  id: JOB,
  pipeline: PIPELINE,
  mode: 'shadow',
  state: 'Running',
  reason: '',
  from: WANTED.from,
  to: WANTED.to,
  filter: JSON.stringify(FILTER),
  version: 3,
  createdAt: '2026-03-02T09:30:00.000Z',
  createdBy: 'key-writer',
  endedAt: null,
  progress: { read: 5, total: 8, rate: 2, remainingSeconds: 2 },
  summary: Object.fromEntries(REPLAY_COUNTS.map((name, at) => [name, at])),
  deliveries: null,
} as unknown as ReplayView;

it('shows a replay as the routers answer it', async () => {
  pipelineService.answer('GetReplay', view);
  expect(jsonOf(await get(`${PATH}/${JOB}`))).toEqual({ ...view, filter: FILTER });
  const draft = {
    ...view,
    version: null,
    filter: null,
    progress: { ...view.progress, remainingSeconds: null },
  };
  pipelineService.answer('ListReplays', { replays: [draft], cursor: JOB });
  expect(jsonOf(await get(`${PATH}?limit=1`))).toEqual({ replays: [draft], cursor: JOB });
  expect(pipelineService.calls.map(({ name, in: input }) => [name, input])).toEqual([
    ['GetReplay', { pipeline: PIPELINE, id: JOB }],
    ['ListReplays', { limit: 1, cursor: '', pipeline: PIPELINE }],
  ]);
});

it('shows what a replay has delivered', async () => {
  const deliveries = Object.fromEntries(REPLAY_DELIVERY_COUNTS.map((name, at) => [name, at]));
  const delivering = { ...view, mode: 'deliver', state: 'Cancelling', summary: null, deliveries };
  pipelineService.answer('GetReplay', delivering as never);
  expect(jsonOf(await get(`${PATH}/${JOB}`))).toEqual({ ...delivering, filter: FILTER });
});

it('asks for failures with whole reasons by scope write only', async () => {
  const failure = { delivery: '4Gd1oZtWm0bqPnA6TzXk9', state: 'Rejected', attempts: 2 };
  const answer = { failures: [failure], cursor: 'a-0000000000000001' };
  pipelineService.answer('ListReplayFailures', answer as never);
  const answered = await get(`${PATH}/${JOB}/failures?limit=2&cursor=a-0000000000000001`);
  expect(jsonOf(answered)).toEqual(answer);
  await get(`${PATH}/${JOB}/failures`, writer);
  const wanted = { limit: 100, cursor: '', pipeline: PIPELINE, id: JOB };
  expect(pipelineService.calls.map(({ in: input }) => input)).toEqual([
    { ...wanted, limit: 2, cursor: 'a-0000000000000001', withValues: false },
    { ...wanted, withValues: true },
  ]);
});

it('asks for differences with values by scope write only, and shows every digit of them', async () => {
  const difference = {
    delivery: '4Gd1oZtWm0bqPnA6TzXk9',
    kind: 'Different',
    before: { values: '{"n":12345678901234567890}', digest: 'kP3vQ8xT1aE', rejectedAt: null },
    now: null,
  } as unknown as DifferenceView;
  pipelineService.answer('ListReplayDifferences', { differences: [difference], cursor: '' });
  const answered = await get(
    `${PATH}/${JOB}/differences?kind=Different&limit=2&cursor=a-0000000000000001`,
  );
  expect(answered.text).toContain('"n":12345678901234567890');
  await get(`${PATH}/${JOB}/differences`, writer);
  const wanted = { limit: 100, cursor: '', pipeline: PIPELINE, id: JOB, kind: null };
  expect(pipelineService.calls.map(({ in: input }) => input)).toEqual([
    { ...wanted, limit: 2, cursor: 'a-0000000000000001', kind: 'Different', withValues: false },
    { ...wanted, withValues: true },
  ]);
});

it('passes a cancel on to the routers', async () => {
  expect((await post(`${PATH}/${JOB}/cancel`)).status).toBe(200);
  expect(pipelineService.calls).toMatchObject([
    { name: 'CancelReplay', in: { pipeline: PIPELINE, id: JOB } },
  ]);
});

it.each([
  [`${PATH}?limit=0`, '/limit'],
  [`${PATH}?limit=1001`, '/limit'],
  [`${PATH}?state=Running`, '/state'],
  [`${PATH}/${JOB}?at=x`, '/at'],
  [`${PATH}/${JOB}/differences?kind=Same`, '/kind'],
  [`${PATH}/${JOB}/differences?cursor=%20`, '/cursor'],
  [`${PATH}/${JOB}/failures?cursor=%20`, '/cursor'],
  [`${PATH}/${JOB}/failures?kind=Same`, '/kind'],
])('%s is refused with %s', async (path, at) => {
  const answered = await get(path);
  expect(answered.status).toBe(400);
  expect(jsonOf(answered)).toMatchObject({
    error: { code: 'BadRequest', details: [{ path: at }] },
  });
});

it.each([
  ['/v1/pipelines/pipeline00000002/replays', 'PipelineNotExist'],
  ['/v1/pipelines/x/replays', 'PipelineNotExist'],
  [`/v1/pipelines/pipeline00000002/replays/${JOB}`, 'PipelineNotExist'],
  [`/v1/pipelines/pipeline00000002/replays/${JOB}/differences`, 'PipelineNotExist'],
  [`${PATH}/x`, 'ReplayNotExist'],
  [`${PATH}/x/differences`, 'ReplayNotExist'],
  [`${PATH}/x/failures`, 'ReplayNotExist'],
])('%s is answered 404 %s', async (path, code) => {
  const answered = await get(path);
  expect(answered.status).toBe(404);
  expect(jsonOf(answered)).toMatchObject({ error: { code } });
  expect(pipelineService.calls).toEqual([]);
});

it.each([
  ['/v1/pipelines/pipeline00000002/replays', 'PipelineNotExist', BODY],
  [`/v1/pipelines/pipeline00000002/replays/${JOB}/cancel`, 'PipelineNotExist', undefined],
  [`${PATH}/x/cancel`, 'ReplayNotExist', undefined],
])('POST %s is answered 404 %s', async (path, code, body) => {
  const answered = await post(path, body);
  expect(answered.status).toBe(404);
  expect(jsonOf(answered)).toMatchObject({ error: { code } });
});
