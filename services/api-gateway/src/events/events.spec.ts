import { Refusal, type RefusalCode } from '@penstock/contracts';
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

const ask = (query: string, method = 'GET'): Promise<Answered> =>
  send(stand.url(`/v1/events${query}`), {
    method,
    headers: { Authorization: `Bearer ${reader.key}` },
  });

const DEFAULT = {
  ...{ properties: null, filter: null, order: 'timestamp', ascending: false },
  ...{ from: null, to: null, limit: 100, cursor: '' },
};

it('are answered to the last digit', async () => {
  const event = '{"messageId":"m","traits":{"n":12345678901234567890}}';
  pipelineService.answer('ListEvents', { events: [event], cursor: 'c' });
  const answered = await ask('');
  expect(answered.status).toBe(200);
  expect(answered.text).toBe(`{"events":[${event}],"cursor":"c"}`);
  expect(pipelineService.calls).toMatchObject([
    { name: 'ListEvents', about: WORKSPACE, in: DEFAULT },
  ]);
});

it.each([
  ['?order=userId&ascending=true', { order: 'userId', ascending: true }],
  [
    '?from=2026-03-01T09:30:00Z&to=2026-03-02T09:30:00%2B01:00',
    {
      from: '2026-03-01T09:30:00.000Z',
      to: '2026-03-02T08:30:00.000Z',
    },
  ],
  [
    '?from=2026-03-01T09:30:00.0000001Z&to=2026-03-01T09:30:00.1230000Z',
    { from: '2026-03-01T09:30:00.001Z', to: '2026-03-01T09:30:00.123Z' },
  ],
  [
    `?filter=${encodeURIComponent('{"logical":"and","conditions":[]}')}`,
    {
      filter: '{"logical":"and","conditions":[]}',
    },
  ],
  ['?properties=type,event&limit=1', { properties: ['type', 'event'], limit: 1 }],
  [`?cursor=${'x'.repeat(4_000)}`, { cursor: 'x'.repeat(4_000) }],
])('are asked for with %s', async (query, expected) => {
  pipelineService.answer('ListEvents', { events: [], cursor: '' });
  expect((await ask(query)).text).toBe('{"events":[],"cursor":""}');
  expect(pipelineService.calls).toMatchObject([{ in: { ...DEFAULT, ...expected } }]);
});

it.each([
  ['?filter=x', '/filter'],
  ['?ascending=1', '/ascending'],
  ['?from=x', '/from'],
  ['?orderDesc=true', '/orderDesc'],
  [`?cursor=${'x'.repeat(4_001)}`, '/cursor'],
])('are not asked for with %s', async (query, path) => {
  const answered = await ask(query);
  expect(answered.status).toBe(400);
  expect(jsonOf(answered)).toMatchObject({ error: { code: 'BadRequest', details: [{ path }] } });
  expect(pipelineService.calls).toEqual([]);
});

it.each<[RefusalCode, number]>([
  ['OrderNotExist', 422],
  ['OrderTypeNotSortable', 422],
  ['MaintenanceMode', 422],
  ['ServiceUnavailable', 503],
])('are refused with %s: %i', async (code, status) => {
  pipelineService.answer('ListEvents', new Refusal(code));
  const answered = await ask('');
  expect(answered.status).toBe(status);
  expect(jsonOf(answered)).toMatchObject({ error: { code } });
});

it('are listed under the path where they are sent: an API key sends none, and other methods are named', async () => {
  expect((await ask('', 'POST')).status).toBe(401);
  expect(await ask('', 'PUT')).toMatchObject({
    status: 405,
    headers: { allow: 'GET, HEAD, POST, OPTIONS' },
  });
  expect(await ask('/track')).toMatchObject({ status: 405, headers: { allow: 'POST, OPTIONS' } });
  expect(pipelineService.calls).toEqual([]);
});
