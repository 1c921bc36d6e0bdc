import { createConnectors } from '@penstock/connectors';
import {
  type ApiKeyId,
  type ConfigurationState,
  type ConnectionId,
  type ConnectionState,
  type DataKey,
  dataKeyKey,
  type OrganizationId,
  type NewApiKey,
  type OrganizationState,
  type PipelineId,
  type SendingPipelineState,
  type ExportPipelineState,
  type ExportSettings,
  type ImportPipelineState,
  type ImportSettings,
  type Scope,
  stateKey,
  type WorkspaceId,
} from '@penstock/contracts';
import { newApiKey, newDataKey, newWriteKey, Seals, SecretBox } from '@penstock/runtime';

export const secrets = new SecretBox('a secret that only the specs know of');

const dataKeys = new Map<string, DataKey>();

export const dataKeyOf = (workspace: string): DataKey => {
  const key = dataKeys.get(workspace) ?? newDataKey(secrets, workspace as WorkspaceId);
  dataKeys.set(workspace, key);
  return key;
};

export const seals = new Seals(secrets, dataKeyOf);

/** The messages by which the relay publishes a state; the data key precedes a workspace. */
export const messagesOf = (
  position: number,
  state: ConfigurationState,
): readonly { readonly key: string; readonly value: string }[] => {
  const message = { key: stateKey(state), value: JSON.stringify({ position, state }) };
  if (state.kind !== 'workspace') return [message];
  const dataKey = { dataKey: dataKeyOf(state.id) };
  return [{ key: dataKeyKey(state.id), value: JSON.stringify(dataKey) }, message];
};

export const connectors = createConnectors({});

export const ORGANIZATION = 'organization0001' as OrganizationId;
export const WORKSPACE = 'workspace0000001' as WorkspaceId;

export const organization = (members: Partial<OrganizationState> = {}): OrganizationState => ({
  kind: 'organization',
  id: ORGANIZATION,
  name: 'Acme',
  enabled: true,
  apiKeys: [],
  ...members,
});

export const workspace = (id: WorkspaceId = WORKSPACE): ConfigurationState => ({
  kind: 'workspace',
  id,
  organization: ORGANIZATION,
  name: 'Main',
  version: 1,
  deleted: false,
});

let connections = 0;

/** A source connection and the key that its senders use. */
export const source = (
  connector: string,
  settings = '{}',
  members: Partial<ConnectionState> = {},
): { readonly state: ConnectionState; readonly key: string } => {
  connections += 1;
  const key = newWriteKey();
  const state: ConnectionState = {
    kind: 'connection',
    id: `source${String(connections).padStart(10, '0')}` as ConnectionId,
    workspace: WORKSPACE,
    name: connector,
    connector,
    connectorType: connectors.get(connector)?.type ?? 'SDK',
    role: 'Source',
    sendingMode: null,
    settings: seals.seal(settings, WORKSPACE),
    version: 1,
    deleted: false,
    writeKeys: [{ hash: secrets.keyedHash(key), sealed: seals.seal(key, WORKSPACE) }],
    links: [],
    ...members,
  };
  return { state, key };
};

/** A destination that accepts events. */
export const destination = (
  id: string,
  members: Partial<ConnectionState> = {},
): ConnectionState => ({
  ...source('http', '{}').state,
  id: id as ConnectionId,
  role: 'Destination',
  sendingMode: 'Server',
  writeKeys: [],
  ...members,
});

/** A pipeline on the destination. */
export const pipelineOn = (
  { id: connection }: ConnectionState,
  members: Partial<SendingPipelineState> = {},
): SendingPipelineState => ({
  kind: 'pipeline',
  id: `pipeline-${connection}`.slice(0, 26) as PipelineId,
  workspace: WORKSPACE,
  connection,
  target: 'Event',
  eventType: 'send_values',
  name: 'A pipeline',
  enabled: true,
  filter: null,
  transformation: null,
  outSchema: null,
  version: 1,
  deleted: false,
  ...members,
});

/** A pipeline that imports users from the source. */
export const importFrom = (
  { id: connection }: ConnectionState,
  imports: ImportSettings,
): ImportPipelineState => ({
  ...pipelineOn({ ...source('http', '{}').state, id: connection }),
  id: `import-${connection}`.slice(0, 26) as PipelineId,
  target: 'User',
  eventType: null,
  transformation: { mapping: { email: 'email' }, function: null },
  outSchema:
    '{"kind":"object","properties":[{"name":"email","type":{"kind":"string"},"readOptional":true,"description":""}]}',
  imports,
});

/** A pipeline that exports profiles to the destination. */
export const exportTo = (
  { id: connection }: ConnectionState,
  exports: ExportSettings,
): ExportPipelineState => ({
  ...pipelineOn({ ...source('http', '{}').state, id: connection }),
  id: `export-${connection}`.slice(0, 26) as PipelineId,
  target: 'User',
  eventType: null,
  exports,
});

/** An API key and its record in the organization. */
export const apiKey = (
  scope: Scope,
  members: Partial<NewApiKey> = {},
): { readonly record: NewApiKey; readonly key: string } => {
  const key = newApiKey();
  const record: NewApiKey = {
    id: `key-${scope}-0001` as ApiKeyId,
    name: scope,
    scope,
    workspace: WORKSPACE,
    hash: secrets.keyedHash(key),
    hint: `${key.slice(0, 4)}…${key.slice(-4)}`,
    expiresAt: null,
    ...members,
  };
  return { record, key };
};
