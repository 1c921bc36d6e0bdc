import type { OrganizationId, WorkspaceId } from '@penstock/contracts';
import { newId } from '@penstock/runtime';
import { Installation } from '../testing/installation.fixture';
import { aPipeline } from '../testing/pipeline.fixture';

jest.setTimeout(60_000);

let installation: Installation;
let organization: OrganizationId;
let workspace: WorkspaceId;

beforeEach(async () => {
  installation = await Installation.open();
  await installation.start();
  ({ organization, workspace } = await installation.founded());
});

afterEach(() => installation.close());

const PAGE = { limit: 100, cursor: '', within: null };

const made = async (name: string): Promise<WorkspaceId> => {
  const id = newId() as WorkspaceId;
  const command = { id, name, warehouse: installation.newWarehouse(id) };
  const reply = await installation.command('CreateWorkspace', command, { organization });
  expect(reply).toEqual({ id });
  return id;
};

const list = (wanted: object = {}, of = organization) =>
  installation.read('ListWorkspaces', { ...PAGE, ...wanted }, { organization: of });

const get = (id: WorkspaceId, of = organization) =>
  installation.read('GetWorkspace', { id }, { organization: of });

it('is made with a warehouse of its own, and shown to its organization', async () => {
  const id = await made('Shop');
  expect(await get(id)).toEqual({ id, version: 1, name: 'Shop' });
  expect(
    await installation.read('GetWarehouse', {}, { organization, workspace: id }),
  ).toMatchObject({ platform: 'PostgreSQL', mode: 'Normal' });
  await expect(get(id, 'another-one' as OrganizationId)).rejects.toMatchObject({
    code: 'WorkspaceNotExist',
  });
});

it('is not made with a warehouse that is none, or that is another workspace’s', async () => {
  const id = await made('Shop');
  const other = newId() as WorkspaceId;
  const foreign = JSON.parse(
    await installation.opened(installation.newWarehouse(id).settings, id),
  ) as object;
  const ask = (settings: object) =>
    installation.command(
      'CreateWorkspace',
      {
        id: other,
        name: 'Blog',
        warehouse: {
          platform: 'PostgreSQL',
          settings: installation.sealed(settings, other),
          mcpSettings: null,
        },
      },
      { organization },
    );
  await expect(ask(foreign)).rejects.toMatchObject({
    code: 'InvalidWarehouseSettings',
    details: [{ path: '/warehouse/settings' }],
  });
  await expect(ask({ ...foreign, port: 'x' })).rejects.toMatchObject({
    code: 'BadRequest',
    details: [{ path: '/warehouse/settings/port' }],
  });
  await expect(get(other)).rejects.toMatchObject({ code: 'WorkspaceNotExist' });
});

it('is listed in pages, newest first, and alone for a key of its own', async () => {
  const [second, third] = [await made('Second'), await made('Third')];
  const page = await list({ limit: 2 });
  expect(page).toEqual({
    workspaces: [
      { id: third, version: 1, name: 'Third' },
      { id: second, version: 1, name: 'Second' },
    ],
    cursor: second,
  });
  expect(await list({ limit: 2, cursor: second })).toEqual({
    workspaces: [{ id: workspace, version: 1, name: 'Default' }],
    cursor: '',
  });
  expect((await list({ within: second })).workspaces).toMatchObject([{ id: second }]);
  expect((await list({}, 'another-one' as OrganizationId)).workspaces).toEqual([]);
  await expect(list({ cursor: '?' })).rejects.toMatchObject({ code: 'BadRequest' });
});

it('is renamed at the version that was seen', async () => {
  const rename = (name: string, context: object = {}) =>
    installation.command('RenameWorkspace', { id: workspace, name }, { organization, ...context });
  await rename('Shop');
  await expect(rename('Blog', { expectedVersion: 1 })).rejects.toMatchObject({ code: 'Conflict' });
  await rename('Blog', { expectedVersion: 2 });
  expect(await get(workspace)).toEqual({ id: workspace, version: 3, name: 'Blog' });
  await expect(
    rename('Mine', { organization: 'another-one' as OrganizationId }),
  ).rejects.toMatchObject({ code: 'WorkspaceNotExist' });
});

it('is deleted with all that is in it, also what is being made', async () => {
  const context = { organization, workspace };
  const replica = await installation.follow();
  const destination = await installation.destination({}, context);
  const source = await installation.source({ linkedConnections: [destination] }, context);
  const pipeline = aPipeline(destination);
  await installation.command('CreatePipeline', pipeline, context);
  const tries = Array.from({ length: 10 }, () => installation.source({}, context));
  const deleted = installation.recorded('DeleteWorkspace', { id: workspace }, context);
  const settled = await Promise.allSettled(tries);
  for (const each of settled)
    if (each.status === 'rejected')
      expect(each.reason).toMatchObject({ code: 'WorkspaceNotExist' });
  await replica.waitFor((await deleted).position);

  expect(replica.workspace(workspace)).toBeUndefined();
  expect(replica.connectionsOf(workspace)).toEqual([]);
  expect(replica.connectionEver(source)).toMatchObject({ deleted: true, links: [], writeKeys: [] });
  expect(replica.pipeline(pipeline.id)).toBeUndefined();
  expect(replica.pipelineHead(pipeline.id)).toMatchObject({ deleted: true });
  for (const table of ['connections', 'pipelines', 'links'])
    expect((await installation.pool.query(`SELECT FROM penstock.${table}`)).rows).toEqual([]);
  await expect(installation.source({}, context)).rejects.toMatchObject({
    code: 'WorkspaceNotExist',
  });
  await expect(get(workspace)).rejects.toMatchObject({ code: 'WorkspaceNotExist' });
  expect((await list()).workspaces).toEqual([]);
});
