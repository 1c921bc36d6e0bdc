import { RequestMethod } from '@nestjs/common';
import { INTERCEPTORS_METADATA, METHOD_METADATA } from '@nestjs/common/constants';
import type { ApiKeyId, ConnectionId, PipelineId, WorkspaceId } from '@penstock/contracts';
import { Refusal } from '@penstock/contracts';
import { RequestTimeout } from '@penstock/messaging';
import { CONTROLLERS } from '../api-gateway.module';
import { McpController } from '../mcp/mcp.controller';
import { GatewayStand } from '../testing/gateway.fixture';
import { type Answered, jsonOf, send } from '../testing/http.fixture';
import { apiKey, organization, seals, workspace, WORKSPACE } from '../testing/installation.fixture';
import { IdempotencyInterceptor } from './idempotency.interceptor';

const OTHER = 'workspace0000002' as WorkspaceId;
const ID = 'object0000000001';
const admin = apiKey('admin', { id: 'key-admin-0001' as ApiKeyId, workspace: null });
const writer = apiKey('write');
const apiKeys = [admin, writer].map(({ record }) => record);

/** Two gateways on one log and one pipeline service. */
const [one, two] = [new GatewayStand(), new GatewayStand()];
const { pipelineService } = one;

beforeAll(async () => {
  await one.configure(organization({ apiKeys }), workspace(), workspace(OTHER));
  const shared = { log: one.log, pipelineService };
  await Promise.all([one.start(shared), two.start(shared)]);
});
afterAll(() => Promise.all([one.stop(), two.stop()]));
beforeEach(() => {
  pipelineService.calls.length = 0;
});

let keys = 0;
const newKey = (): string => `retry-${String((keys += 1))}`;

const post = (
  at: GatewayStand,
  path: string,
  idempotencyKey: string,
  body?: string,
  headers: Record<string, string> = {},
): Promise<Answered> =>
  send(at.url(path), {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${writer.key}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': idempotencyKey,
      ...headers,
    },
    ...(body !== undefined && { body }),
  });

const CONNECTION = '{"name":"n","role":"Source","connector":"nodejs"}';

const conflict = (answered: Answered, message: string) => {
  expect(answered.status).toBe(409);
  expect(jsonOf(answered)).toEqual({ error: { code: 'Conflict', message } });
};

it('a repetition gets the same answer through any gateway, and is executed once', async () => {
  pipelineService.script('CreateConnection', ({ id }) => ({ id }));
  const key = newKey();
  const first = await post(one, '/v1/connections', key, CONNECTION);
  const again = await post(two, '/v1/connections', key, CONNECTION);
  expect(first.status).toBe(200);
  expect(first.headers).not.toHaveProperty('idempotent-replayed');
  expect(again).toMatchObject({
    status: 200,
    text: first.text,
    headers: {
      'content-type': first.headers['content-type'],
      'idempotent-replayed': 'true',
    },
  });
  expect(again.headers['request-id']).not.toBe(first.headers['request-id']);
  expect(pipelineService.calls).toHaveLength(1);
});

it('an answer is stored under the data key of the workspace', async () => {
  pipelineService.script('CreateConnection', ({ id }) => ({ id }));
  await post(one, '/v1/connections', newKey(), CONNECTION);
  const kept = pipelineService.ended.at(-1);
  expect(kept?.answer).toMatch(/^v2:/);
  expect(seals.open(kept?.answer ?? '', WORKSPACE, kept?.key)).toMatch(/"is":"success"/);
});

it('an answer without a body is repeated without one', async () => {
  pipelineService.answer('LinkConnections', {});
  const [key, path] = [newKey(), `/v1/connections/${ID}/links/${ID}`];
  for (const at of [one, two])
    expect(await post(at, path, key)).toMatchObject({ status: 200, text: '' });
  expect(pipelineService.calls).toHaveLength(1);
});

it.each<[refusal: Refusal, status: number]>([
  [new Refusal('BadRequest', { details: [{ path: '/name', message: 'is taken' }] }), 400],
  [new Refusal('PipelineNotExist'), 404],
  [new Refusal('Conflict'), 409],
  [new Refusal('ConnectionNotExist', { kind: 'refused' }), 422],
])('a refusal is repeated: %s', async (refusal, status) => {
  pipelineService.answer('CreateConnection', refusal);
  const key = newKey();
  const first = await post(one, '/v1/connections', key, CONNECTION);
  pipelineService.script('CreateConnection', ({ id }) => ({ id }));
  const again = await post(two, '/v1/connections', key, CONNECTION);
  expect(first.status).toBe(status);
  expect(again).toMatchObject({ status, text: first.text });
});

it('a refusal before any command is repeated too', async () => {
  const key = newKey();
  const first = await post(one, '/v1/connections', key, '{}');
  const again = await post(two, '/v1/connections', key, '{}');
  expect(first.status).toBe(400);
  expect(again.text).toBe(first.text);
  conflict(
    await post(one, '/v1/connections', key, CONNECTION),
    'Idempotency-Key was used for another request',
  );
  expect(pipelineService.calls).toEqual([]);
});

it('a request without an answer may be repeated, under the same command id', async () => {
  const key = newKey();
  pipelineService.answer('CreateConnection', new RequestTimeout('CreateConnection', 10));
  expect(await post(one, '/v1/connections', key, CONNECTION)).toMatchObject({ status: 503 });
  pipelineService.answer('CreateConnection', { id: 'the-first' as ConnectionId });
  expect(await post(two, '/v1/connections', key, CONNECTION)).toMatchObject({
    status: 200,
    text: '{"id":"the-first"}',
  });
  const [first, second] = pipelineService.calls.map(({ metadata }) => metadata.commandId);
  expect(first).toMatch(/./);
  expect(second).toBe(first);
});

it('a repetition during the request is refused without waiting', async () => {
  let answer: (out: { id: PipelineId }) => void = () => undefined;
  pipelineService.script(
    'CreateConnection',
    () => new Promise((resolve) => (answer = resolve as never)),
  );
  const key = newKey();
  const first = post(one, '/v1/connections', key, CONNECTION);
  while (pipelineService.calls.length === 0) await new Promise(setImmediate);
  for (const at of [one, two])
    conflict(
      await post(at, '/v1/connections', key, CONNECTION),
      'a request with this Idempotency-Key is being handled',
    );
  answer({ id: ID as PipelineId });
  expect(await first).toMatchObject({ status: 200 });
  expect(await post(two, '/v1/connections', key, CONNECTION)).toMatchObject({ status: 200 });
});

it('a key identifies one request of an API key, method and path', async () => {
  pipelineService.script('CreateConnection', ({ id }) => ({ id }));
  pipelineService.answer('RunPipeline', new Refusal('PipelineNotRunnable'));
  const key = newKey();
  const inWorkspace = { 'Penstock-Workspace': WORKSPACE };
  await post(one, '/v1/connections', key, CONNECTION, inWorkspace);
  const message = 'Idempotency-Key was used for another request';
  conflict(await post(one, '/v1/connections', key, `${CONNECTION} `), message);
  expect(await post(one, `/v1/pipelines/${ID}/runs`, key)).toMatchObject({ status: 422 });
  const other = { ...inWorkspace, Authorization: `Bearer ${admin.key}` };
  expect(await post(one, '/v1/connections', key, CONNECTION, other)).toMatchObject({ status: 200 });
  const elsewhere = { ...other, 'Penstock-Workspace': OTHER };
  conflict(await post(one, '/v1/connections', key, CONNECTION, elsewhere), message);
  expect(pipelineService.calls.filter(({ name }) => name === 'CreateConnection')).toHaveLength(2);
});

it.each(['', 'x'.repeat(256), 'é'])('an invalid key is refused: %j', async (key) => {
  const answered = await post(
    one,
    '/v1/connections',
    Buffer.from(key).toString('latin1'),
    CONNECTION,
  );
  expect(answered.status).toBe(400);
  expect(jsonOf(answered)).toMatchObject({ error: { details: [{ path: '/Idempotency-Key' }] } });
});

it('other methods ignore the key', async () => {
  pipelineService.answer('DeleteConnection', {});
  const headers = { Authorization: `Bearer ${writer.key}`, 'Idempotency-Key': newKey() };
  for (let times = 0; times < 2; times += 1)
    await send(one.url(`/v1/connections/${ID}`), { method: 'DELETE', headers });
  expect(pipelineService.calls).toHaveLength(2);
});

describe('answers that are not stored', () => {
  const asAdmin = { Authorization: `Bearer ${admin.key}` };
  const body = '{"name":"CI","scope":"read"}';

  it('a new API key is returned once', async () => {
    pipelineService.script('CreateApiKey', ({ id }) => ({ id }));
    const key = newKey();
    const first = await post(one, '/v1/keys', key, body, asAdmin);
    expect(jsonOf(first)).toHaveProperty('key');
    conflict(
      await post(two, '/v1/keys', key, body, asAdmin),
      'the request was executed before, and its answer is not kept',
    );
    expect(pipelineService.calls).toHaveLength(1);
  });

  it('also when the gateway died before it answered', async () => {
    pipelineService.answer('CreateApiKey', { id: 'made-before-0001' as ApiKeyId });
    conflict(
      await post(one, '/v1/keys', newKey(), body, asAdmin),
      'the key was made before, and is not kept',
    );
  });

  it('a write key is stored and returned again', async () => {
    const sealed = seals.seal('the key that was made', WORKSPACE);
    pipelineService.answer('CreateEventWriteKey', { sealed });
    const [key, path] = [newKey(), `/v1/connections/${ID}/event-write-keys`];
    for (const at of [one, two])
      expect(jsonOf(await post(at, path, key))).toEqual({ key: 'the key that was made' });
    expect(pipelineService.calls).toHaveLength(1);
  });
});

it('is offered by every POST of the API, and costs nothing elsewhere', () => {
  // Calls of MCP change nothing.
  const controllers = CONTROLLERS.filter((controller) => controller !== McpController);
  const methods = controllers.flatMap((controller) => {
    const prototype = controller.prototype as Record<string, () => unknown>;
    return Object.getOwnPropertyNames(prototype).flatMap((name) => prototype[name] ?? []);
  });
  const interceptorsOf = (method: RequestMethod): unknown[] =>
    methods
      .filter((handler) => Reflect.getMetadata(METHOD_METADATA, handler) === method)
      .map((handler) => Reflect.getMetadata(INTERCEPTORS_METADATA, handler) as unknown);
  const [posts, gets] = [interceptorsOf(RequestMethod.POST), interceptorsOf(RequestMethod.GET)];
  expect(posts.length).toBeGreaterThan(10);
  for (const interceptors of posts) expect(interceptors).toEqual([IdempotencyInterceptor]);
  expect(gets.length).toBeGreaterThan(20);
  for (const interceptors of gets) expect(interceptors).toBeUndefined();
});
