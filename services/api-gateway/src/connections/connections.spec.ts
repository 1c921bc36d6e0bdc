import type { ConnectionDelivery, ConnectionId } from '@penstock/contracts';
import { GatewayStand } from '../testing/gateway.fixture';
import { jsonOf, send } from '../testing/http.fixture';
import { apiKey, destination, organization, workspace } from '../testing/installation.fixture';

const ID = 'object0000000001' as ConnectionId;
const writer = apiKey('write');

const stand = new GatewayStand();
const { pipelineService } = stand;

beforeAll(async () => {
  await stand.configure(organization({ apiKeys: [writer.record] }), workspace());
  await stand.start();
  pipelineService.answer('CreateConnection', { id: ID });
  pipelineService.answer('UpdateConnection', {});
});
afterAll(() => stand.stop());
beforeEach(() => {
  pipelineService.calls.length = 0;
});

const ask = (method: string, path: string, body?: string) =>
  send(stand.url(path), {
    method,
    headers: { Authorization: `Bearer ${writer.key}`, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body }),
  });

const WHOLE = { ordering: 'none', maxAgeSeconds: 3_600, timeoutSeconds: 10 } as const;

const FORMS: readonly [method: string, path: string, members: string][] = [
  ['POST', '/v1/connections', '"name":"n","role":"Destination","connector":"http"'],
  ['PUT', `/v1/connections/${ID}`, '"name":"n"'],
];

describe.each(FORMS)('the delivery of %s %s', (method, path, members) => {
  const given = (delivery: string) => ask(method, path, `{${members},"delivery":${delivery}}`);
  const passedOn = () => pipelineService.calls.at(-1)?.in;

  it.each<[string, object | null]>([
    ['null', null],
    ['{}', {}],
    ['{"ordering":"key"}', { ordering: 'key' }],
    ['{"ordering":"none","maxAge":3600,"timeout":10}', WHOLE],
    ['{"maxAge":60,"timeout":1}', { maxAgeSeconds: 60, timeoutSeconds: 1 }],
    ['{"timeout":120}', { timeoutSeconds: 120 }],
    ['{"maxAge":60.0,"timeout":1e1}', { maxAgeSeconds: 60, timeoutSeconds: 10 }],
    [`{"maxAge":1${'0'.repeat(400)}}`, { maxAgeSeconds: Number.MAX_SAFE_INTEGER }],
  ])('%s is forwarded', async (text, delivery) => {
    expect((await given(text)).status).toBe(200);
    expect((passedOn() as { delivery: unknown }).delivery).toEqual(delivery);
  });

  it.each([
    ['[]', '/delivery'],
    ['"key"', '/delivery'],
    ['{"ordering":"any"}', '/delivery/ordering'],
    ['{"ordering":null}', '/delivery/ordering'],
    ['{"maxAge":59}', '/delivery/maxAge'],
    ['{"maxAge":-60}', '/delivery/maxAge'],
    ['{"maxAge":60.5}', '/delivery/maxAge'],
    ['{"maxAge":6e400}', '/delivery/maxAge'],
    ['{"maxAge":5.9e1}', '/delivery/maxAge'],
    ['{"maxAge":"3600"}', '/delivery/maxAge'],
    ['{"maxAge":null}', '/delivery/maxAge'],
    ['{"timeout":0}', '/delivery/timeout'],
    ['{"timeout":121}', '/delivery/timeout'],
    ['{"timeout":0.5}', '/delivery/timeout'],
    ['{"retries":3}', '/delivery/retries'],
  ])('%s is refused at %s', async (text, at) => {
    const answered = await given(text);
    expect(answered.status).toBe(400);
    expect(jsonOf(answered)).toMatchObject({
      error: { code: 'BadRequest', details: [{ path: at }] },
    });
    expect(pipelineService.calls).toEqual([]);
  });

  it('is refused with every bad member named', async () => {
    const answered = await given('{"ordering":1,"maxAge":1,"timeout":999,"more":{}}');
    const paths = (jsonOf(answered) as { error: { details: { path: string }[] } }).error.details;
    expect(paths.map((detail) => detail.path).sort()).toEqual([
      '/delivery/maxAge',
      '/delivery/more',
      '/delivery/ordering',
      '/delivery/timeout',
    ]);
  });
});

it.each([
  [1_000, 200],
  [1_001, 400],
])('%i connections that are linked with a new one are answered with %i', async (count, status) => {
  const linkedConnections = Array.from({ length: count }, (_, n) => `connection${String(n)}`);
  const body = { name: 'n', role: 'Source', connector: 'nodejs', linkedConnections };
  const answered = await ask('POST', '/v1/connections', JSON.stringify(body));
  expect(answered.status).toBe(status);
  if (status === 400)
    expect(jsonOf(answered)).toMatchObject({
      error: { details: [{ path: '/linkedConnections' }] },
    });
});

it('is absent from the command of an update without it, and so stays', async () => {
  expect((await ask('PUT', `/v1/connections/${ID}`, '{"name":"n"}')).status).toBe(200);
  expect(pipelineService.calls.at(-1)?.in).not.toHaveProperty('delivery');
});

it.each<[ConnectionDelivery | undefined, object | null]>([
  [undefined, null],
  [{}, {}],
  [{ ordering: 'key' }, { ordering: 'key' }],
  [WHOLE, { ordering: 'none', maxAge: 3_600, timeout: 10 }],
])('is returned as it was set: %j', async (delivery, shown) => {
  await stand.configure(destination(ID, { ...(delivery && { delivery }) }));
  const answered = await ask('GET', `/v1/connections/${ID}`);
  expect((jsonOf(answered) as { delivery: unknown }).delivery).toEqual(shown);
});
