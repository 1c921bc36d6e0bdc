import { type Queries, Refusal, type StoredDeliveryView } from '@penstock/contracts';
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
const admin = apiKey('admin', { id: 'key-admin' as never });
const stand = new GatewayStand();
const { pipelineService } = stand;
const PIPELINE = 'pipeline00000001';

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
    organization({ apiKeys: [reader.record, writer.record, admin.record] }),
    workspace(),
    destination.state,
    pipeline,
  );
  await stand.start();
});
afterAll(() => stand.stop());
beforeEach(() => {
  pipelineService.calls.length = 0;
  pipelineService.answer('ListDeliveries', { deliveries: [], cursor: '' });
  pipelineService.answer('CountDeliveries', { counts: [], pipelines: [], isCut: false });
});

const ask = (path: string, { key } = reader): Promise<Answered> =>
  send(stand.url(path), { method: 'GET', headers: { Authorization: `Bearer ${key}` } });

const FILTER =
  '?pipeline=p&connection=c&state=Parked&code=RetryBudgetSpent&from=2026-03-01T09:30:00Z&to=2026-03-02T09:30:00.5Z';
const WANTED = {
  pipeline: 'p',
  connection: 'c',
  state: 'Parked',
  code: 'RetryBudgetSpent',
  from: '2026-03-01T09:30:00.000Z',
  to: '2026-03-02T09:30:00.500Z',
};

it('asks the routers for a page of what the parameters say', async () => {
  expect((await ask('/v1/pipelines/deliveries')).status).toBe(200);
  expect((await ask(`/v1/pipelines/deliveries${FILTER}&limit=7&cursor=a-0`)).status).toBe(200);
  expect(pipelineService.calls.map(({ name, in: input }) => [name, input])).toEqual([
    ['ListDeliveries', { limit: 100, cursor: '' }],
    ['ListDeliveries', { ...WANTED, limit: 7, cursor: 'a-0' }],
  ]);
});

it('asks the routers for the numbers of what the parameters say', async () => {
  expect((await ask(`/v1/pipelines/deliveries/counts${FILTER}`)).status).toBe(200);
  expect(pipelineService.calls).toMatchObject([{ name: 'CountDeliveries', in: WANTED }]);
  expect(pipelineService.calls[0]?.in).toEqual(WANTED);
});

it.each([
  ['?limit=0', '/limit'],
  ['?limit=1001', '/limit'],
  ['?cursor=%20', '/cursor'],
  ['?state=Delivered', '/state'],
  ['?state=', '/state'],
  [`?code=${'x'.repeat(101)}`, '/code'],
  ['?code=%00', '/code'],
  [`?pipeline=${'x'.repeat(101)}`, '/pipeline'],
  [`?connection=${'x'.repeat(101)}`, '/connection'],
  ['?connection=a&connection=b', '/connection'],
  ['?from=yesterday', '/from'],
  ['?to=2026-03-01', '/to'],
  ['?page=1', '/page'],
])('%s is refused with %s', async (query, path) => {
  const paths = ['/v1/pipelines/deliveries'];
  if (!/limit|cursor/.test(query)) paths.push('/v1/pipelines/deliveries/counts');
  for (const each of paths) {
    const answered = await ask(`${each}${query}`);
    expect(answered.status).toBe(400);
    expect(jsonOf(answered)).toMatchObject({ error: { code: 'BadRequest', details: [{ path }] } });
  }
  expect(pipelineService.calls).toEqual([]);
});

it('answers filters at their limits', async () => {
  const text = 'x'.repeat(100);
  const query = `?limit=1000&code=${text}&pipeline=${text}&connection=${text}`;
  expect((await ask(`/v1/pipelines/deliveries${query}`)).status).toBe(200);
});

it('shows deliveries and numbers as the routers answer them', async () => {
  const view = {
    id: '4Gd1oZtWm0bqPnA6TzXk9',
    pipeline: PIPELINE,
    pipelineVersion: 3,
    connection: destination.state.id,
    source: null,
    messageId: null,
    state: 'Waiting',
    step: null,
    code: '',
    reason: 'answered 503',
    attempts: 4,
    receivedAt: '2026-03-01T09:30:00.000Z',
    endedAt: null,
    nextAttemptAt: '2026-03-01T09:31:00.000Z',
  } as unknown as StoredDeliveryView;
  pipelineService.answer('ListDeliveries', { deliveries: [view], cursor: 'a-b' });
  expect(jsonOf(await ask('/v1/pipelines/deliveries'))).toEqual({
    deliveries: [view],
    cursor: 'a-b',
  });
  const counts = {
    counts: [{ state: 'Rejected', code: '400', count: 5 }],
    pipelines: [{ pipeline: PIPELINE, state: 'Rejected', code: '400', count: 5 }],
    isCut: true,
  } as unknown as Queries['CountDeliveries']['out'];
  pipelineService.answer('CountDeliveries', counts);
  expect(jsonOf(await ask('/v1/pipelines/deliveries/counts'))).toEqual(counts);
});

describe('conservation', () => {
  const out = {
    accepted: 100,
    endings: { Delivered: 90, Filtered: 6, Rejected: 2, Parked: 0, Duplicate: 1 },
    open: 1,
    behind: 7,
  };

  it('is asked of the routers for a pipeline of the workspace', async () => {
    pipelineService.answer('GetConservation', out);
    expect(jsonOf(await ask(`/v1/pipelines/${PIPELINE}/conservation`))).toEqual(out);
    expect(pipelineService.calls).toMatchObject([
      { name: 'GetConservation', in: { pipeline: PIPELINE } },
    ]);
  });

  it.each(['pipeline00000002', 'x'])('of %s is answered 404', async (id) => {
    const answered = await ask(`/v1/pipelines/${id}/conservation`);
    expect(answered.status).toBe(404);
    expect(jsonOf(answered)).toMatchObject({ error: { code: 'PipelineNotExist' } });
    expect(pipelineService.calls).toEqual([]);
  });
});

describe('one delivery', () => {
  const view = {
    id: '4Gd1oZtWm0bqPnA6TzXk9',
    pipelineVersion: 1,
    attempts: 1,
    detail: 'answered 400: no',
    event: '{"properties":{"n":12345678901234567890}}',
    isMasked: false,
  } as unknown as Queries['GetDelivery']['out'];

  it('is asked for with values by scope write and above, without by scope read', async () => {
    pipelineService.answer('GetDelivery', view);
    for (const key of [reader, writer, admin])
      expect((await ask(`/v1/pipelines/deliveries/${view.id}`, key)).status).toBe(200);
    expect(pipelineService.calls.map(({ in: input }) => input)).toEqual([
      { id: view.id, withValues: false },
      { id: view.id, withValues: true },
      { id: view.id, withValues: true },
    ]);
  });

  it('is shown with every digit of its event, or without one that cannot be read', async () => {
    pipelineService.answer('GetDelivery', view);
    const { text } = await ask(`/v1/pipelines/deliveries/${view.id}`, writer);
    expect(text).toContain('"event":{"properties":{"n":12345678901234567890}},"isMasked":false');
    pipelineService.answer('GetDelivery', { ...view, event: null });
    expect(jsonOf(await ask(`/v1/pipelines/deliveries/${view.id}`))).toMatchObject({ event: null });
  });

  it('that does not exist is answered 404', async () => {
    pipelineService.answer('GetDelivery', new Refusal('DeliveryNotExist'));
    const answered = await ask('/v1/pipelines/deliveries/x');
    expect(answered.status).toBe(404);
    expect(jsonOf(answered)).toMatchObject({ error: { code: 'DeliveryNotExist' } });
  });
});

describe('the access log', () => {
  it('is shown to scope admin only', async () => {
    const page = {
      accesses: [{ at: '2026-03-01T09:30:00.000Z', key: 'k', delivery: 'd', requestId: 'r' }],
      cursor: '7',
    } as unknown as Queries['ListAccesses']['out'];
    pipelineService.answer('ListAccesses', page);
    expect((await ask('/v1/access-log')).status).toBe(403);
    expect((await ask('/v1/access-log', writer)).status).toBe(403);
    expect(pipelineService.calls).toEqual([]);
    expect(jsonOf(await ask('/v1/access-log?limit=1&cursor=9', admin))).toEqual(page);
    expect(pipelineService.calls[0]?.in).toEqual({ limit: 1, cursor: '9' });
  });

  it.each([
    ['?limit=0', '/limit'],
    ['?from=2026-03-01T09:30:00Z', '/from'],
  ])('%s is refused with %s', async (query, path) => {
    const answered = await ask(`/v1/access-log${query}`, admin);
    expect(answered.status).toBe(400);
    expect(jsonOf(answered)).toMatchObject({ error: { details: [{ path }] } });
  });
});
