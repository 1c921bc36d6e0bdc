import type { Instant, WorkspaceId } from '@penstock/contracts';
import { Refusal } from '@penstock/contracts';
import { newApiKey } from '@penstock/runtime';
import { GatewayStand } from '../testing/gateway.fixture';
import { jsonOf, send, type Sent } from '../testing/http.fixture';
import { apiKey, organization, workspace } from '../testing/installation.fixture';

const OTHER = 'workspace0000002' as WorkspaceId;
const ID = 'object0000000001';
const TOO_LARGE = '{'.padEnd(512_001);
const reader = apiKey('read');
const writer = apiKey('write');
const ofOrganization = apiKey('write', { workspace: null });
const bound = apiKey('admin');
const expired = apiKey('read', { expiresAt: '2020-01-01T00:00:00.000Z' as Instant });
const apiKeys = [reader, writer, ofOrganization, bound, expired].map(({ record }) => record);

const stand = new GatewayStand();
/** A gateway whose organization is disabled. */
const disabled = new GatewayStand();
/** A gateway whose rate allows one request of each key. */
const spent = new GatewayStand();

beforeAll(async () => {
  for (const each of [stand, spent]) await each.configure(organization({ apiKeys }), workspace());
  await disabled.configure(organization({ apiKeys, enabled: false }), workspace());
  const one = { perSecond: 0.001, burst: 1 };
  await Promise.all([
    stand.start(),
    disabled.start(),
    spent.start({ apiRate: { key: one, organization: { perSecond: 1, burst: 1_000 } } }),
  ]);
  for (const { key } of [reader, writer, ofOrganization])
    await send(spent.url('/v1/connectors'), { method: 'GET', headers: bearer(key) });
  stand.pipelineService.answer('SetSchedulePeriod', new Refusal('PipelineNotRunnable'));
});
afterAll(() => Promise.all([stand, disabled, spent].map((each) => each.stop())));

const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });
const json = (key: string, body: string, more: Record<string, string> = {}): Sent => ({
  headers: { ...bearer(key), 'Content-Type': 'application/json', ...more },
  body,
});
const text = (key: string, body: string): Sent => json(key, body, { 'Content-Type': 'text/plain' });
const elsewhere = { 'Penstock-Workspace': OTHER };

type Row = [pair: string, at: GatewayStand, call: string, sent: Sent, status: number, code: string];

/** Requests that fail two consecutive checks; the first of them is reported. */
const ROWS: Row[] = [
  ['route, key', stand, 'POST /v1/none', {}, 404, 'NotFound'],
  ['method, key', stand, 'PATCH /v1/keys', {}, 405, 'MethodNotAllowed'],
  [
    'key, scope',
    stand,
    'POST /v1/pipelines',
    { headers: bearer(expired.key) },
    401,
    'Unauthorized',
  ],
  [
    'key, organization',
    disabled,
    'POST /v1/pipelines',
    { headers: bearer(newApiKey()) },
    401,
    'Unauthorized',
  ],
  [
    'scope, organization',
    disabled,
    'POST /v1/pipelines',
    { headers: bearer(reader.key) },
    403,
    'Forbidden',
  ],
  [
    'key of a workspace, organization',
    disabled,
    'PUT /v1/organization/status',
    json(bound.key, '{}'),
    403,
    'Forbidden',
  ],
  [
    'organization, workspace',
    disabled,
    'GET /v1/pipelines',
    { headers: { ...bearer(ofOrganization.key), ...elsewhere } },
    422,
    'OrganizationDisabled',
  ],
  [
    'workspace, rate',
    spent,
    'GET /v1/pipelines',
    { headers: { ...bearer(ofOrganization.key), ...elsewhere } },
    404,
    'WorkspaceNotExist',
  ],
  ['rate, size', spent, 'POST /v1/pipelines', json(writer.key, TOO_LARGE), 429, 'TooManyRequests'],
  ['size, type', stand, 'POST /v1/pipelines', text(writer.key, TOO_LARGE), 413, 'PayloadTooLarge'],
  [
    'size of a body that nobody asked for',
    stand,
    `POST /v1/connections/${ID}/links/x`,
    json(writer.key, TOO_LARGE),
    413,
    'PayloadTooLarge',
  ],
  ['type, JSON', stand, 'POST /v1/pipelines', text(writer.key, '{'), 415, 'UnsupportedMediaType'],
  [
    'type, Idempotency-Key',
    stand,
    'POST /v1/pipelines',
    {
      ...text(writer.key, '{'),
      headers: { ...text(writer.key, '').headers, 'Idempotency-Key': '' },
    },
    415,
    'UnsupportedMediaType',
  ],
  [
    'members, existence',
    stand,
    'PUT /v1/pipelines/x/schedule',
    json(writer.key, '{}'),
    400,
    'BadRequest',
  ],
  [
    'existence, state',
    stand,
    'PUT /v1/pipelines/x/schedule',
    json(writer.key, '{"period":null}'),
    404,
    'PipelineNotExist',
  ],
  [
    'state, when all else is well',
    stand,
    `PUT /v1/pipelines/${ID}/schedule`,
    json(writer.key, '{"period":null}'),
    422,
    'PipelineNotRunnable',
  ],
];

it.each(ROWS)('%s', async (...[, at, call, sent, status, code]) => {
  const [method = '', path = ''] = call.split(' ');
  const answered = await send(at.url(path), { ...sent, method });
  expect(answered.status).toBe(status);
  expect(jsonOf(answered)).toMatchObject({ error: { code } });
  expect(answered.headers['request-id']).toMatch(/./);
});

it('JSON, members', async () => {
  const answered = await send(stand.url('/v1/pipelines'), json(writer.key, '{"nme":1,"nme":2}'));
  const { error } = jsonOf(answered) as { error: { details: { path: string; message: string }[] } };
  expect(error.details).toEqual([
    { path: '/nme', message: expect.stringContaining('repeated') as string },
  ]);
});

it('sends the remaining requests with every answer after the check of the rate, and with none before', async () => {
  const ask = (key: string, more: Record<string, string> = {}) =>
    send(spent.url('/v1/pipelines'), { method: 'GET', headers: { ...bearer(key), ...more } });
  const refused = await ask(reader.key);
  expect(refused).toMatchObject({
    status: 429,
    headers: { 'ratelimit-limit': '1', 'ratelimit-remaining': '0' },
  });
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(900);
  expect(refused.headers['ratelimit-reset']).toBe(refused.headers['retry-after']);
  const headers = bearer(reader.key);
  const answered = await send(stand.url('/v1/pipelines/x'), { method: 'GET', headers });
  expect(answered).toMatchObject({ status: 404, headers: { 'ratelimit-limit': '10000' } });
  expect((await ask(ofOrganization.key, elsewhere)).headers).not.toHaveProperty('ratelimit-limit');
});
