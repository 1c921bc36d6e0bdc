import type { ApiKeyId, WorkspaceId } from '@penstock/contracts';
import { Refusal } from '@penstock/contracts';
import { isApiKeyForm } from '@penstock/runtime';
import { GatewayStand } from '../testing/gateway.fixture';
import { jsonOf, send } from '../testing/http.fixture';
import {
  apiKey,
  ORGANIZATION,
  organization,
  secrets,
  workspace,
  WORKSPACE,
} from '../testing/installation.fixture';

const ID = 'apikey0000000001';
const admin = apiKey('admin', { id: 'key-admin-whole' as ApiKeyId, workspace: null });
const bound = apiKey('admin', { id: 'key-admin-bound' as ApiKeyId });
const reader = apiKey('read');
const apiKeys = [admin, bound, reader].map(({ record }) => record);

const stand = new GatewayStand();
const { pipelineService } = stand;

beforeAll(async () => {
  await stand.configure(
    organization({ apiKeys }),
    workspace(),
    workspace('workspace0000002' as WorkspaceId),
  );
  await stand.start();
});
afterAll(() => stand.stop());
beforeEach(() => {
  pipelineService.calls.length = 0;
});

const ask = (method: string, path: string, body?: object, { key } = admin) =>
  send(stand.url(path), {
    method,
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

/** Lets the pipeline service accept new keys. */
const accept = () => {
  pipelineService.script('CreateApiKey', ({ id }) => ({ id }));
};

const NEW = { name: 'CI', scope: 'write' };

it('are created, returned once, and stored as a hash', async () => {
  accept();
  const answered = await ask('POST', '/v1/keys', NEW);
  const { id, key, hint } = jsonOf(answered) as { id: string; key: string; hint: string };
  expect(answered.status).toBe(200);
  expect(isApiKeyForm(key)).toBe(true);
  expect(hint).toBe(`${key.slice(0, 4)}…${key.slice(-4)}`);
  const [call] = pipelineService.calls;
  expect(call).toMatchObject({ name: 'CreateApiKey', about: ORGANIZATION });
  expect(call?.in).toEqual({
    ...NEW,
    id,
    hint,
    workspace: null,
    expiresAt: null,
    hash: secrets.keyedHash(key),
  });
  expect(JSON.stringify(call)).not.toContain(key);
});

it('may expire, and may be bound to a workspace', async () => {
  accept();
  const more = { workspace: WORKSPACE, expiresAt: '2999-01-01T02:00:00+02:00' };
  await ask('POST', '/v1/keys', { ...NEW, ...more });
  expect(pipelineService.calls[0]?.in).toMatchObject({
    workspace: WORKSPACE,
    expiresAt: '2999-01-01T00:00:00.000Z',
  });
});

it.each<[body: object, status: number, code: string, ...paths: string[]]>([
  [{}, 400, 'BadRequest', '/name', '/scope'],
  [{ ...NEW, name: '' }, 400, 'BadRequest', '/name'],
  [{ ...NEW, name: 'x'.repeat(101) }, 400, 'BadRequest', '/name'],
  [{ ...NEW, scope: 'owner' }, 400, 'BadRequest', '/scope'],
  [{ ...NEW, workspace: 5 }, 400, 'BadRequest', '/workspace'],
  [{ ...NEW, expiresAt: 'soon' }, 400, 'BadRequest', '/expiresAt'],
  [{ ...NEW, expiresAt: '2020-01-01T00:00:00Z' }, 400, 'BadRequest', '/expiresAt'],
  [{ ...NEW, key: 'pk_mine' }, 400, 'BadRequest', '/key'],
  [{ ...NEW, workspace: 'x' }, 404, 'WorkspaceNotExist'],
])('are not created from %j', async (body, status, code, ...paths) => {
  const answered = await ask('POST', '/v1/keys', body);
  const { error } = jsonOf(answered) as { error: { code: string; details?: { path: string }[] } };
  expect([answered.status, error.code]).toEqual([status, code]);
  expect((error.details ?? []).map(({ path }) => path)).toEqual(paths);
  expect(pipelineService.calls).toEqual([]);
});

it('are listed without secrets and hashes', async () => {
  const [newest, ...others] = [reader, admin, bound].map(
    ({ record: { hash: _, ...view } }) => view,
  );
  const first = jsonOf(await ask('GET', '/v1/keys?limit=1')) as { keys: object[]; cursor: string };
  expect(first).toEqual({ keys: [newest], cursor: newest?.id });
  const rest = jsonOf(await ask('GET', `/v1/keys?cursor=${first.cursor}`));
  expect(rest).toEqual({ keys: others, cursor: '' });
  expect(pipelineService.calls).toEqual([]);
});

it('are revoked', async () => {
  pipelineService.answer('RevokeApiKey', {});
  expect(await ask('DELETE', `/v1/keys/${ID}`)).toMatchObject({ status: 200, text: '' });
  expect(pipelineService.calls).toMatchObject([
    { name: 'RevokeApiKey', about: ORGANIZATION, in: { id: ID, within: null } },
  ]);
});

it.each([
  ['x', undefined],
  [ID, new Refusal('KeyNotExist')],
])('are answered 404 when they do not exist: %s', async (id, refusal) => {
  if (refusal !== undefined) pipelineService.answer('RevokeApiKey', refusal);
  const answered = await ask('DELETE', `/v1/keys/${id}`);
  expect(answered.status).toBe(404);
  expect(jsonOf(answered)).toEqual({
    error: { code: 'KeyNotExist', message: 'key does not exist' },
  });
});

describe('with a bound key', () => {
  it('are created for its workspace', async () => {
    accept();
    await ask('POST', '/v1/keys', { ...NEW, workspace: null }, bound);
    await ask('POST', '/v1/keys', { ...NEW, workspace: WORKSPACE }, bound);
    expect(pipelineService.calls.map((call) => call.in)).toMatchObject([
      { workspace: WORKSPACE },
      { workspace: WORKSPACE },
    ]);
    const other = { ...NEW, workspace: 'workspace0000002' };
    expect(await ask('POST', '/v1/keys', other, bound)).toMatchObject({ status: 404 });
  });

  it('are listed and revoked within its workspace', async () => {
    pipelineService.answer('RevokeApiKey', {});
    const { keys } = jsonOf(await ask('GET', '/v1/keys', undefined, bound)) as {
      keys: { workspace: unknown }[];
    };
    expect(keys.map((each) => each.workspace)).toEqual([WORKSPACE, WORKSPACE]);
    await ask('DELETE', `/v1/keys/${ID}`, undefined, bound);
    expect(pipelineService.calls).toMatchObject([{ in: { within: WORKSPACE } }]);
  });
});

it.each([
  ['GET', 200],
  ['POST', 403],
])('a key of scope read is answered %s by %d', async (method, status) => {
  expect(await ask(method, '/v1/keys', undefined, reader)).toMatchObject({ status });
});

describe('through two gateways', () => {
  const [one, two] = [new GatewayStand(), new GatewayStand()];
  const shared = { log: one.log, pipelineService: one.pipelineService };
  const list = (at: GatewayStand, key: string) =>
    send(at.url('/v1/connectors'), { method: 'GET', headers: { Authorization: `Bearer ${key}` } });

  beforeAll(async () => {
    await one.configure(organization({ apiKeys }), workspace());
    await Promise.all([one.start(shared), two.start(shared)]);
  });
  afterAll(() => Promise.all([one.stop(), two.stop()]));

  it('are accepted by both once they exist, and refused by both once their revocation is answered', async () => {
    const fresh = apiKey('write', { id: 'key-fresh-00001' as ApiKeyId });
    await one.configure(organization({ apiKeys: [...apiKeys, fresh.record] }));
    expect(await list(two, fresh.key)).toMatchObject({ status: 200 });
    one.log.isSlow = true;
    one.pipelineService.script('RevokeApiKey', async () => {
      await one.configure(organization({ apiKeys }));
      return {};
    });
    const revoked = await send(one.url(`/v1/keys/${fresh.record.id}`), {
      method: 'DELETE',
      headers: { Authorization: `Bearer ${admin.key}` },
    });
    expect(revoked.status).toBe(200);
    expect(await list(two, fresh.key)).toMatchObject({ status: 401 });
    expect(await list(one, fresh.key)).toMatchObject({ status: 401 });
  });
});
