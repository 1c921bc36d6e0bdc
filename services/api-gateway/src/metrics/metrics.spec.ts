import type { PipelineMetrics, SourceMetrics } from '@penstock/contracts';
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
const stand = new GatewayStand();
const { pipelineService } = stand;
const PIPELINE = 'pipeline00000001';

const shop = source('nodejs', '{}');
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

const numbers = {
  accepted: 3,
  opened: 2,
  passed: [3, 2, 2, 2, 2, 1],
  failed: [0, 0, 1, 0, 0, 1],
  endings: [{ state: 'Delivered', code: '', count: 1 }],
  retries: 4,
  latency: { p50: 12.48, p95: 310.5, p99: 1_210 },
} as const;
const nothing = {
  accepted: 0,
  opened: 0,
  passed: [0, 0, 0, 0, 0, 0],
  failed: [0, 0, 0, 0, 0, 0],
  endings: [],
  retries: 0,
  latency: null,
};
const events = { accepted: 5, duplicates: 2, differentBodies: 1, suppressed: 1 };

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const time = (ms: number): string => new Date(ms).toISOString();
const hour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
const [from, to] = [time(hour - 3 * HOUR_MS), time(hour)];

const ofPipeline: PipelineMetrics = {
  total: numbers,
  points: [{ at: time(hour - 2 * HOUR_MS) as never, ...numbers }],
  lag: 7,
};
const ofSource: SourceMetrics = {
  total: events,
  points: [{ at: time(hour - HOUR_MS) as never, ...events }],
};

beforeAll(async () => {
  await stand.configure(
    organization({ apiKeys: [reader.record] }),
    workspace(),
    shop.state,
    destination.state,
    pipeline,
  );
  await stand.start();
});
afterAll(() => stand.stop());
beforeEach(() => {
  pipelineService.calls.length = 0;
  pipelineService.answer('GetPipelineMetrics', ofPipeline);
  pipelineService.answer('GetConnectionMetrics', ofPipeline);
});

const PATHS = [
  `/v1/pipelines/${PIPELINE}/metrics`,
  `/v1/connections/${destination.state.id}/metrics`,
  `/v1/connections/${shop.state.id}/metrics`,
] as const;

const ask = (path: string, query = ''): Promise<Answered> =>
  send(stand.url(`${path}${query}`), {
    method: 'GET',
    headers: { Authorization: `Bearer ${reader.key}` },
  });

it('shows every step of time of a pipeline, those without events included', async () => {
  const answered = await ask(PATHS[0], `?from=${from}&to=${to}&stepSize=hour`);
  expect(jsonOf(answered)).toEqual({
    from,
    to,
    stepSize: 'hour',
    total: numbers,
    points: [
      { at: from, ...nothing },
      { at: time(hour - 2 * HOUR_MS), ...numbers },
      { at: time(hour - HOUR_MS), ...nothing },
    ],
    lag: 7,
  });
  expect(pipelineService.calls).toMatchObject([
    {
      name: 'GetPipelineMetrics',
      in: { pipeline: PIPELINE, connection: destination.state.id, from, to, stepSize: 'hour' },
    },
  ]);
});

it('asks about the pipelines of a destination', async () => {
  const answered = await ask(PATHS[1], `?from=${from}&to=${to}`);
  expect(jsonOf(answered)).toMatchObject({ total: numbers, lag: 7 });
  expect(pipelineService.calls).toMatchObject([
    {
      name: 'GetConnectionMetrics',
      in: { connection: destination.state.id, pipelines: [PIPELINE], from, to, stepSize: 'hour' },
    },
  ]);
});

it('shows the events of a source', async () => {
  pipelineService.answer('GetConnectionMetrics', ofSource);
  const answered = await ask(PATHS[2], `?from=${from}&to=${to}`);
  const none = { accepted: 0, duplicates: 0, differentBodies: 0, suppressed: 0 };
  expect(jsonOf(answered)).toEqual({
    from,
    to,
    stepSize: 'hour',
    total: events,
    points: [
      { at: from, ...none },
      { at: time(hour - 2 * HOUR_MS), ...none },
      { at: time(hour - HOUR_MS), ...events },
    ],
  });
  expect(pipelineService.calls).toMatchObject([
    { name: 'GetConnectionMetrics', in: { connection: shop.state.id, pipelines: null } },
  ]);
});

it('takes the last 60 hours, and whole steps of time', async () => {
  await ask(PATHS[0]);
  await ask(PATHS[0], `?stepSize=day&from=${time(hour - 9 * DAY_MS + 1)}&to=${time(hour - 1)}`);
  const [unasked, days] = pipelineService.calls.map(
    ({ in: input }) => input as { from: string; to: string; stepSize: string },
  );
  expect(unasked?.stepSize).toBe('hour');
  expect(Date.parse(unasked?.to ?? '') - Date.parse(unasked?.from ?? '')).toBe(60 * HOUR_MS);
  expect(Math.abs(Date.parse(unasked?.to ?? '') - Date.now())).toBeLessThanOrEqual(HOUR_MS);
  expect(days?.from).toBe(time(Math.floor((hour - 9 * DAY_MS + 1) / DAY_MS) * DAY_MS));
  expect(days?.to).toBe(time(Math.ceil((hour - 1) / DAY_MS) * DAY_MS));
});

const minute = Math.floor(Date.now() / 60_000) * 60_000;

it.each([
  ['?stepSize=week', '/stepSize'],
  ['?stepSize=', '/stepSize'],
  ['?stepSize=hour&stepSize=day', '/stepSize'],
  ['?from=yesterday', '/from'],
  ['?to=2026-03-01', '/to'],
  [`?from=${to}&to=${from}`, '/to'],
  [`?from=${to}&to=${to}`, '/to'],
  [`?from=${time(hour + DAY_MS)}&to=${time(hour + 2 * DAY_MS)}`, '/from'],
  [`?stepSize=minute&from=${time(hour - 2 * DAY_MS - 2 * HOUR_MS)}&to=${time(hour)}`, '/from'],
  [`?stepSize=hour&from=${time(hour - 62 * DAY_MS)}&to=${time(hour - 60 * DAY_MS)}`, '/from'],
  [`?stepSize=minute&from=${time(minute - 1_441 * 60_000)}&to=${time(minute)}`, '/from'],
  [`?stepSize=day&from=${time(hour - 1_442 * DAY_MS)}`, '/from'],
  ['?page=1', '/page'],
])('%s is refused with %s', async (query, path) => {
  for (const each of PATHS) {
    const answered = await ask(each, query);
    expect(jsonOf(answered)).toMatchObject({ error: { code: 'BadRequest', details: [{ path }] } });
    expect(answered.status).toBe(400);
  }
  expect(pipelineService.calls).toEqual([]);
});

it.each([
  `?stepSize=minute&from=${time(minute - 1_440 * 60_000)}&to=${time(minute)}`,
  `?stepSize=minute&from=${time(hour - 2 * DAY_MS + 2 * HOUR_MS)}&to=${time(hour - DAY_MS)}`,
  `?stepSize=hour&from=${time(hour - 60 * DAY_MS + 2 * HOUR_MS)}&to=${time(hour - DAY_MS)}`,
  `?stepSize=day&from=${time(hour - 1_400 * DAY_MS)}`,
])('%s is answered', async (query) => {
  expect((await ask(PATHS[0], query)).status).toBe(200);
});

it.each([
  ['/v1/pipelines/pipeline00000002/metrics', 'PipelineNotExist'],
  ['/v1/pipelines/x/metrics', 'PipelineNotExist'],
  [`/v1/pipelines/${shop.state.id}/metrics`, 'PipelineNotExist'],
  ['/v1/connections/connection000002/metrics', 'ConnectionNotExist'],
  ['/v1/connections/x/metrics', 'ConnectionNotExist'],
])('%s is answered 404 %s', async (path, code) => {
  const answered = await ask(path);
  expect(answered.status).toBe(404);
  expect(jsonOf(answered)).toMatchObject({ error: { code } });
  expect(pipelineService.calls).toEqual([]);
});
