import { createConnectors } from '@penstock/connectors';
import {
  type ConfigurationState,
  type ConnectionId,
  type ConnectionState,
  type OrganizationId,
  type OrganizationState,
  type WorkspaceId,
} from '@penstock/contracts';
import { newWriteKey, SecretBox } from '@penstock/runtime';

export const secrets = new SecretBox('a secret that only the specs know of');

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
    settings: secrets.seal(settings, WORKSPACE),
    version: 1,
    deleted: false,
    writeKeys: [{ hash: secrets.keyedHash(key), sealed: secrets.seal(key, WORKSPACE) }],
    links: [],
    ...members,
  };
  return { state, key };
};
