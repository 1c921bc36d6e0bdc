import type { OrganizationId, WorkspaceId } from '@penstock/contracts';
import { type LocalSnowflake, startSnowflake } from '@penstock/local-snowflake';
import { newId } from '@penstock/runtime';
import { createWarehouses } from '@penstock/warehouses';
import { Installation } from '../testing/installation.fixture';

jest.setTimeout(180_000);

/** Milliseconds: packages of Python may have to be installed first. */
const INSTALL_TIMEOUT_MS = 700_000;

let server: LocalSnowflake;
let installation: Installation;
let organization: OrganizationId;
let workspace: WorkspaceId;

const settings = (changes: object = {}): object => {
  const { username, password, role, warehouse, database } = server;
  const own = { account: 'acme-eu', username, password, role, warehouse, database };
  return { ...own, schema: 'penstock', ...changes };
};

const create = (id: WorkspaceId, own: object, mcp: object | null = null) =>
  installation.command(
    'CreateWorkspace',
    {
      ...{ id, name: 'Shop' },
      warehouse: {
        platform: 'Snowflake',
        settings: installation.sealed(own, id),
        mcpSettings: mcp && installation.sealed(mcp, id),
      },
    },
    { organization },
  );

const inWorkspace = () => ({ organization, workspace });

const schemaOf = (...names: readonly string[]): string =>
  JSON.stringify({
    kind: 'object',
    properties: names.map((name) => ({ name, type: { kind: 'string' }, readOptional: true })),
  });

beforeAll(async () => {
  server = await startSnowflake();
  installation = await Installation.open();
  const snowflakePlace = () => `http://127.0.0.1:${String(server.port)}`;
  const warehouses = createWarehouses({ allow: ['127.0.0.0/8'], snowflakePlace });
  await installation.start({ warehouses });
  await installation.keepResolutions();
  ({ organization } = await installation.founded());
  workspace = newId() as WorkspaceId;
}, INSTALL_TIMEOUT_MS);
afterAll(async () => {
  await installation.close();
  await server.stop();
});

it('refuses settings that Snowflake refuses, in its words', async () => {
  await expect(create(workspace, settings({ password: 'wrong' }))).rejects.toMatchObject({
    code: 'InvalidWarehouseSettings',
    details: [{ path: '/warehouse/settings' }],
  });
  await expect(create(workspace, settings(), settings({ schema: 'other' }))).rejects.toMatchObject({
    code: 'DifferentWarehouse',
  });
});

it('makes a workspace with a warehouse of its own, which no other workspace gets', async () => {
  expect(await create(workspace, settings())).toEqual({ id: workspace });
  expect(await installation.read('GetWarehouse', {}, inWorkspace())).toMatchObject({
    ...{ platform: 'Snowflake', mode: 'Normal' },
  });
  await expect(create(newId() as WorkspaceId, settings())).rejects.toMatchObject({
    code: 'InvalidWarehouseSettings',
    details: [
      { path: '/warehouse/settings', message: expect.stringContaining('not empty') as string },
    ],
  });
});

it('changes its schema of profiles, and tells the statements before', async () => {
  const given = { schema: schemaOf('mail', 'phone'), rePaths: { mail: 'email' } };
  const preview = await installation.query('PreviewProfileSchemaChange', given, inWorkspace());
  const words = 'ALTER TABLE "CRM"."PENSTOCK"."_PROFILES" ADD COLUMN IF NOT EXISTS "PHONE"';
  expect(preview.queries.join('\n')).toContain(words);
  const change = { ...given, primarySources: {} };
  expect(await installation.command('ChangeProfileSchema', change, inWorkspace())).toEqual({
    affectedPipelines: [],
  });
  expect(await installation.read('GetLatestProfileSchemaChange', {}, inWorkspace())).toMatchObject({
    endTime: expect.any(String) as string,
    error: null,
  });
  await installation.command('RepairWarehouse', {}, inWorkspace());
});

it('tells what is in it, to the API and to MCP servers', async () => {
  const page = { filter: null, order: null, orderDesc: null, limit: 10, cursor: '' };
  const wanted = { ...page, properties: null, count: true };
  expect(await installation.query('ListProfiles', wanted, inWorkspace())).toMatchObject({
    ...{ profiles: [], total: 0 },
  });
  const access = { settings: settings(), mcpSettings: settings() };
  const sealed = Object.fromEntries(
    Object.entries(access).map(([name, plain]) => [name, installation.sealed(plain, workspace)]),
  ) as Record<keyof typeof access, string>;
  await installation.command(
    'UpdateWarehouse',
    { ...sealed, cancelIncompatibleOperations: false },
    inWorkspace(),
  );
  const { tables } = await installation.query('DescribeWarehouse', {}, inWorkspace());
  expect(tables.map(({ name }) => name)).toEqual(['EVENTS', 'IDENTITIES', 'PROFILES']);
  const statement = 'SELECT COUNT(*) AS N, MAX(MAIL) AS MAIL FROM PROFILES';
  expect(await installation.query('QueryWarehouse', { statement }, inWorkspace())).toMatchObject({
    rows: ['[0,null]'],
  });
  await expect(
    installation.query('QueryWarehouse', { statement: 'DELETE FROM PROFILES' }, inWorkspace()),
  ).rejects.toMatchObject({ code: 'InvalidQuery' });
});

it('is not read in maintenance', async () => {
  const mode = { mode: 'Maintenance', cancelIncompatibleOperations: false } as const;
  await installation.command('SetWarehouseMode', mode, inWorkspace());
  const statement = 'SELECT 1';
  await expect(
    installation.query('QueryWarehouse', { statement }, inWorkspace()),
  ).rejects.toMatchObject({ code: 'MaintenanceMode' });
});
