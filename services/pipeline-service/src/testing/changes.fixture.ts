import type { AlertId, Commands, SuppressionId, WorkspaceId } from '@penstock/contracts';
import { newId } from '@penstock/runtime';
import { aWriteKey, type Installation } from './installation.fixture';
import { aPipeline } from './pipeline.fixture';

export const aKey = () => ({
  id: newId() as never,
  name: 'CI',
  scope: 'read' as const,
  workspace: null,
  hash: newId(),
  hint: 'pk_a…bcde',
  expiresAt: null,
});

const anAlert = ({
  installation,
}: {
  readonly installation: Installation;
}): Commands['CreateAlert']['in'] => ({
  id: newId() as AlertId,
  name: 'Shop fails',
  alertKind: 'health',
  connection: null,
  pipeline: null,
  threshold: null,
  webhook: installation.sealed({
    url: 'https://example.com/hook',
    signingSecret: 'a signing secret',
  }),
});

/** Creates one object of each kind to change: a source, a destination, a pipeline, a key, a suppressed user, an alert. */
export const furnished = async (installation: Installation) => {
  const { organization, workspace } = await installation.founded();
  const context = { organization };
  const destination = await installation.destination({}, context);
  const source = await installation.source({}, context);
  const pipeline = aPipeline(destination);
  await installation.command('CreatePipeline', pipeline, context);
  const apiKey = aKey();
  await installation.command('CreateApiKey', apiKey, context);
  const unlinked = await installation.source({ linkedConnections: [destination] }, context);
  const writeKey = aWriteKey(workspace);
  await installation.command('CreateEventWriteKey', { connection: source, key: writeKey }, context);
  const suppressed = 'suppressed' as SuppressionId;
  await installation.command('SuppressUser', { id: suppressed }, context);
  const alert = anAlert({ installation });
  await installation.command('CreateAlert', alert, context);
  const warehouse = await installation.read('GetWarehouse', {}, { organization, workspace });
  return {
    installation,
    organization,
    workspace,
    destination,
    source,
    unlinked,
    pipeline,
    apiKey,
    writeKey,
    suppressed,
    alert,
    warehouse,
  };
};

/** The objects of {@link furnished}. */
export type Furnished = Awaited<ReturnType<typeof furnished>>;

/** Inputs by the names of their commands. */
export type Changes = {
  [Name in Exclude<keyof Commands, 'RepairWarehouse' | 'RunPipeline'>]?: (
    there: Furnished,
  ) => Commands[Name]['in'];
};

export const newWorkspace = ({
  installation,
}: Pick<Furnished, 'installation'>): Commands['CreateWorkspace']['in'] => {
  const id = newId() as WorkspaceId;
  return { id, name: 'Shop', warehouse: installation.newWarehouse(id) };
};

export const newConnection = ({
  installation,
}: Pick<Furnished, 'installation'>): Commands['CreateConnection']['in'] => ({
  id: newId() as never,
  name: 'Another',
  role: 'Source',
  connector: 'javascript',
  settings: installation.sealed({}),
  sendingMode: null,
  linkedConnections: [],
  writeKey: aWriteKey(installation.workspace),
});

/** An input that changes something, for each command with a dry run; they can be executed one after the other. */
export const CHANGES: Changes = {
  CreateConnection: newConnection,
  UpdateConnection: ({ source }) => ({ id: source, name: 'Renamed' }),
  LinkConnections: ({ source, destination }) => ({ source, destination }),
  UnlinkConnections: ({ unlinked, destination }) => ({ source: unlinked, destination }),
  CreateEventWriteKey: ({ source, workspace }) => ({
    connection: source,
    key: aWriteKey(workspace),
  }),
  DeleteEventWriteKey: ({ source, writeKey: { hash } }) => ({ connection: source, hash }),
  CreatePipeline: ({ destination }) => aPipeline(destination),
  UpdatePipeline: ({ pipeline: { id, connection: _, target: _target, ...rest } }) => ({
    ...rest,
    id,
    name: 'Renamed',
  }),
  SetPipelineStatus: ({ pipeline: { id } }) => ({ id, enabled: false }),
  DeletePipeline: ({ pipeline: { id } }) => ({ id }),
  DeleteConnection: ({ destination }) => ({ id: destination }),
  UpdateWarehouse: ({ warehouse: { settings } }) => ({
    settings,
    mcpSettings: null,
    mode: 'Inspection',
    cancelIncompatibleOperations: false,
  }),
  SetWarehouseMode: () => ({ mode: 'Maintenance', cancelIncompatibleOperations: false }),
  ChangeProfileSchema: () => ({
    schema: JSON.stringify({
      kind: 'object',
      properties: [{ name: 'email', type: { kind: 'string' }, readOptional: true }],
    }),
    primarySources: {},
    rePaths: {},
  }),
  SetResolutionSettings: () => ({ runOnBatchImport: false, identifiers: ['email'] }),
  CreateAlert: anAlert,
  UpdateAlert: ({ alert: { alertKind: _, ...alert } }) => ({ ...alert, name: 'Renamed' }),
  DeleteAlert: ({ alert: { id } }) => ({ id }),
  SuppressUser: () => ({ id: 'user' as SuppressionId }),
  UnsuppressUser: ({ suppressed }) => ({ id: suppressed }),
  CreateApiKey: aKey,
  RevokeApiKey: ({ apiKey: { id } }) => ({ id, within: null }),
  SetOrganizationStatus: () => ({ enabled: false }),
  CreateWorkspace: newWorkspace,
  RenameWorkspace: ({ workspace }) => ({ id: workspace, name: 'Renamed' }),
  DeleteWorkspace: ({ workspace }) => ({ id: workspace }),
};
