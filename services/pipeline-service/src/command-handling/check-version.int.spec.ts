import { type Commands, OPERATIONS, type RequestContext } from '@penstock/contracts';
import { CHANGES, type Changes, type Furnished, furnished } from '../testing/changes.fixture';
import { Installation } from '../testing/installation.fixture';

jest.setTimeout(120_000);

let installation: Installation;
let there: Furnished;

beforeAll(async () => {
  installation = await Installation.open();
  const warehouse = new URL(installation.databaseUrl);
  warehouse.search = '?schema=warehouse_first';
  await installation.start({ firstWarehouse: { url: warehouse.href } });
  there = await furnished(installation);
});

afterAll(() => installation.close());

type Versioned = Exclude<
  keyof Changes,
  `Create${'Connection' | 'Pipeline' | 'Workspace' | 'ApiKey'}`
>;

/** The stream of the object whose version each command checks; undefined: an object that never changes. */
const STREAMS: Partial<Record<Versioned, () => string | undefined>> = {
  UpdateConnection: () => `connection-${there.source}`,
  DeleteConnection: () => `connection-${there.destination}`,
  LinkConnections: () => `connection-${there.source}`,
  UnlinkConnections: () => `connection-${there.unlinked}`,
  CreateEventWriteKey: () => `connection-${there.source}`,
  DeleteEventWriteKey: () => `connection-${there.source}`,
  UpdatePipeline: () => `pipeline-${there.pipeline.id}`,
  SetPipelineStatus: () => `pipeline-${there.pipeline.id}`,
  DeletePipeline: () => `pipeline-${there.pipeline.id}`,
  UpdateAlert: () => `alert-${there.alert.id}`,
  DeleteAlert: () => `alert-${there.alert.id}`,
  ChangeProfileSchema: () => `warehouse-${there.workspace}`,
  SetResolutionSettings: () => `warehouse-${there.workspace}`,
  UpdateWarehouse: () => `warehouse-${there.workspace}`,
  SetWarehouseMode: () => `warehouse-${there.workspace}`,
  RevokeApiKey: () => undefined,
  SetOrganizationStatus: () => `organization-${there.organization}`,
  RenameWorkspace: () => `workspace-${there.workspace}`,
  DeleteWorkspace: () => `workspace-${there.workspace}`,
};

const versionOf = async (stream: string | undefined): Promise<number> => {
  const { rows } = await installation.pool.query<{ version: number }>(
    'SELECT max(version) AS version FROM penstock.facts WHERE stream = $1',
    [stream ?? ''],
  );
  return rows[0]?.version ?? 1;
};

const send = (name: keyof Commands, input: object, context: Partial<RequestContext>) =>
  installation.command(name, input, { organization: there.organization, ...context });

it('has a test of every command whose object has a version', () => {
  const versioned = Object.entries(OPERATIONS).filter(
    ([, { kind, isVersioned }]) => kind === 'command' && isVersioned,
  );
  const without = versioned.map(([name]) => name).filter((name) => !(name in STREAMS));
  // These have no dry run, or never succeed: see below.
  expect(without.sort()).toEqual(['RepairWarehouse', 'RunPipeline', 'SetSchedulePeriod']);
});

it.each(Object.keys(STREAMS) as Versioned[])(
  '%s is done at the expected version only',
  async (name) => {
    const input = CHANGES[name]?.(there) ?? {};
    const version = await versionOf(STREAMS[name]?.());
    for (const expectedVersion of [version - 1, version + 1, -1])
      await expect(send(name, input, { expectedVersion })).rejects.toMatchObject({
        code: 'Conflict',
      });
    await send(name, input, { expectedVersion: version, isDryRun: true });
  },
);

it.each([
  ['RunPipeline', { incremental: null }],
  ['SetSchedulePeriod', { period: '5m' }],
] as const)('%s checks the version before it refuses', async (name, members) => {
  const input = { id: there.pipeline.id, ...members };
  const version = await versionOf(`pipeline-${there.pipeline.id}`);
  for (const [expectedVersion, code] of [
    [version + 1, 'Conflict'],
    [version, 'PipelineNotRunnable'],
  ] as const)
    await expect(send(name, input, { expectedVersion })).rejects.toMatchObject({ code });
});

it('a repair is done at the expected version only', async () => {
  const version = await versionOf(`warehouse-${there.workspace}`);
  const repair = (expectedVersion: number) => send('RepairWarehouse', {}, { expectedVersion });
  await expect(repair(version + 1)).rejects.toMatchObject({ code: 'Conflict' });
  await repair(version);
});

it.each([
  [
    'LinkConnections',
    { source: 'nothing000000', destination: 'nothing000000' },
    'ConnectionNotExist',
  ],
  ['DeleteEventWriteKey', { connection: 'nothing000000', hash: 'x' }, 'ConnectionNotExist'],
  ['RevokeApiKey', { id: 'nothing000000', within: null }, 'KeyNotExist'],
] as const)(
  '%s is refused for a missing object before the version is checked',
  async (name, input, code) => {
    await expect(send(name, input, { expectedVersion: 7 })).rejects.toMatchObject({ code });
  },
);

it('queries return the version that commands check', async () => {
  const context = { organization: there.organization };
  const { version } = await installation.query('GetOrganization', {}, context);
  expect(version).toBe(await versionOf(`organization-${there.organization}`));
  const { source: connection } = there;
  const keys = await installation.read('ListEventWriteKeys', { connection }, context);
  expect(keys.version).toBe(await versionOf(`connection-${connection}`));
});
