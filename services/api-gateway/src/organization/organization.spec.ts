import type { ApiKeyId, WorkspaceId } from '@penstock/contracts';
import { GatewayStand } from '../testing/gateway.fixture';
import { jsonOf, send } from '../testing/http.fixture';
import { apiKey, ORGANIZATION, organization, workspace } from '../testing/installation.fixture';

const admin = apiKey('admin', { id: 'key-admin-whole' as ApiKeyId, workspace: null });
const bound = apiKey('admin', { id: 'key-admin-bound' as ApiKeyId });
const writer = apiKey('write', { workspace: null });
const apiKeys = [admin, bound, writer].map(({ record }) => record);

const stand = new GatewayStand();
const { pipelineService } = stand;

beforeAll(async () => {
  await stand.configure(
    organization({ apiKeys, enabled: false }),
    workspace(),
    workspace('workspace0000002' as WorkspaceId),
  );
  await stand.start();
});
afterAll(() => stand.stop());
beforeEach(() => {
  pipelineService.calls.length = 0;
});

const setStatus = (body: string, { key } = admin) =>
  send(stand.url('/v1/organization/status'), {
    method: 'PUT',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body,
  });

const list = () =>
  send(stand.url('/v1/workspaces'), {
    method: 'GET',
    headers: { Authorization: `Bearer ${admin.key}` },
  });

it.each(['{}', '{"enabled":null}', '{"enabled":"yes"}'])('refuses the status %s', async (body) => {
  const answered = await setStatus(body);
  expect(answered.status).toBe(400);
  expect(jsonOf(answered)).toMatchObject({ error: { details: [{ path: '/enabled' }] } });
});

it('is returned to its own keys with limits and counts, also while it is disabled', async () => {
  const limits = { connectors: 5, connections: 4, pipelines: 3, workspaces: 2, keys: 10 };
  const use = { connectors: 1, connections: 1, pipelines: 0, workspaces: 2, keys: 3 };
  const view = { id: ORGANIZATION, name: 'Acme', enabled: false, limits, use };
  pipelineService.answer('GetOrganization', { ...view, version: 4 });
  const look = ({ key }: { key: string }) =>
    send(stand.url('/v1/organization'), {
      method: 'GET',
      headers: { Authorization: `Bearer ${key}` },
    });
  const answered = await look(writer);
  expect(jsonOf(answered)).toEqual(view);
  expect(answered.headers).toMatchObject({ etag: '"4"' });
  expect(await look(bound)).toMatchObject({ status: 403 });
  expect(pipelineService.calls).toMatchObject([{ name: 'GetOrganization', about: ORGANIZATION }]);
});

it('is enabled and disabled only by its own keys of scope admin', async () => {
  pipelineService.answer('SetOrganizationStatus', {});
  for (const key of [bound, writer])
    expect(await setStatus('{"enabled":true}', key)).toMatchObject({ status: 403 });
  expect(await setStatus('{"enabled":true}')).toMatchObject({ status: 200, text: '' });
  expect(pipelineService.calls).toMatchObject([
    { name: 'SetOrganizationStatus', about: ORGANIZATION, in: { enabled: true } },
  ]);
});

it('is fully usable once enabled, also through a gateway that has not yet read the change', async () => {
  expect(await list()).toMatchObject({ status: 422 });
  stand.log.isSlow = true;
  await stand.configure(organization({ apiKeys, enabled: true }));
  expect(await list()).toMatchObject({ status: 200 });
});
