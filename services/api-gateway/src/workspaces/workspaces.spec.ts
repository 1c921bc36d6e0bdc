import type { ApiKeyId, WorkspaceId, WorkspaceState } from '@penstock/contracts';
import { GatewayStand } from '../testing/gateway.fixture';
import { jsonOf, send } from '../testing/http.fixture';
import {
  apiKey,
  organization,
  secrets,
  workspace,
  WORKSPACE,
} from '../testing/installation.fixture';

const admin = apiKey('admin', { id: 'key-admin-whole' as ApiKeyId, workspace: null });
const bound = apiKey('admin', { id: 'key-admin-bound' as ApiKeyId });
const writer = apiKey('write', { workspace: null });
const apiKeys = [admin, bound, writer].map(({ record }) => record);

/** Sorts before all others. */
const OTHER = 'workspace0000000' as WorkspaceId;
const SHOP = { ...workspace(), name: 'Shop', version: 3 } as WorkspaceState;

const stand = new GatewayStand();
const { pipelineService } = stand;

beforeAll(async () => {
  await stand.configure(organization({ apiKeys }), workspace(), workspace(OTHER), SHOP);
  await stand.start();
});
afterAll(() => stand.stop());
beforeEach(() => {
  pipelineService.calls.length = 0;
});

const ask = (
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
  { key } = admin,
) =>
  send(stand.url(path), {
    method,
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

const HERE = { 'Penstock-Workspace': WORKSPACE };
const settings = { host: 'localhost' };
const NEW = { name: 'Shop', warehouse: { platform: 'PostgreSQL', settings } };

it('are created with a warehouse, whose settings are sealed on the log', async () => {
  pipelineService.script('CreateWorkspace', ({ id }) => ({ id }));
  const answered = await ask('POST', '/v1/workspaces', NEW);
  const { id } = jsonOf(answered) as { id: string };
  const [call] = pipelineService.calls;
  expect(call).toMatchObject({
    name: 'CreateWorkspace',
    about: id,
    in: { id, name: 'Shop', warehouse: { platform: 'PostgreSQL', mcpSettings: null } },
  });
  const { warehouse } = call?.in as { warehouse: { settings: string } };
  expect(JSON.parse(secrets.open(warehouse.settings, id))).toEqual(settings);
});

it.each<[body: object, ...paths: string[]]>([
  [{}, '/name', '/warehouse'],
  [{ ...NEW, name: 'x'.repeat(101) }, '/name'],
  [{ ...NEW, warehouse: null }, '/warehouse'],
  [{ ...NEW, warehouse: {} }, '/warehouse/platform', '/warehouse/settings'],
  [{ ...NEW, warehouse: { ...NEW.warehouse, mode: 'Normal' } }, '/warehouse/mode'],
  [{ ...NEW, warehouse: { ...NEW.warehouse, mcpSettings: 5 } }, '/warehouse/mcpSettings'],
  [{ ...NEW, enabled: true }, '/enabled'],
])('are not created from %j', async (body, ...paths) => {
  const answered = await ask('POST', '/v1/workspaces', body);
  const { error } = jsonOf(answered) as { error: { details: { path: string }[] } };
  expect(answered.status).toBe(400);
  expect(error.details.map(({ path }) => path).sort()).toEqual(paths);
  expect(pipelineService.calls).toEqual([]);
});

it('are listed in pages', async () => {
  const shop = { id: WORKSPACE, name: 'Shop' };
  const list = async (query: string, who = admin) =>
    jsonOf(await ask('GET', `/v1/workspaces${query}`, undefined, {}, who));
  expect(await list('?limit=1')).toEqual({ workspaces: [shop], cursor: WORKSPACE });
  const other = { id: OTHER, name: 'Main' };
  expect(await list(`?cursor=${WORKSPACE}`)).toEqual({ workspaces: [other], cursor: '' });
  expect(await list('', bound)).toEqual({ workspaces: [shop], cursor: '' });
});

it('return the current one, with its version as a tag', async () => {
  const answered = await ask('GET', '/v1/workspaces/current', undefined, HERE);
  expect(answered).toMatchObject({ status: 200, headers: { etag: '"3"' } });
  expect(jsonOf(answered)).toEqual({ id: WORKSPACE, name: 'Shop' });
});

it('are renamed and deleted at the version in If-Match', async () => {
  pipelineService.answer('RenameWorkspace', {});
  pipelineService.answer('DeleteWorkspace', {});
  const headers = { ...HERE, 'If-Match': '"3"' };
  const path = '/v1/workspaces/current';
  expect(await ask('PUT', path, { name: 'Blog' }, headers)).toMatchObject({ status: 200 });
  expect(await ask('DELETE', path, undefined, headers)).toMatchObject({ status: 200, text: '' });
  expect(pipelineService.calls).toMatchObject([
    {
      name: 'RenameWorkspace',
      in: { id: WORKSPACE, name: 'Blog' },
      metadata: { expectedVersion: 3 },
    },
    { name: 'DeleteWorkspace', in: { id: WORKSPACE }, metadata: { expectedVersion: 3 } },
  ]);
});

it.each<[call: string, who: typeof admin, status: number]>([
  ['POST /v1/workspaces', writer, 403],
  ['POST /v1/workspaces', bound, 403],
  ['PUT /v1/workspaces/current', writer, 403],
  ['DELETE /v1/workspaces/current', writer, 403],
  ['GET /v1/workspaces', writer, 200],
  ['PUT /v1/workspaces/current', bound, 400],
])('%s is answered by the scope of the key', async (call, who, status) => {
  const [method = '', path = ''] = call.split(' ');
  expect(await ask(method, path, undefined, {}, who)).toMatchObject({ status });
});

it('that were created through another gateway can be chosen at once', async () => {
  const id = 'workspace0000009' as WorkspaceId;
  const choose = () => ask('GET', '/v1/connectors', undefined, { 'Penstock-Workspace': id });
  expect(await choose()).toMatchObject({ status: 404 });
  stand.log.isSlow = true;
  await stand.configure(workspace(id));
  expect(await choose()).toMatchObject({ status: 200 });
});
