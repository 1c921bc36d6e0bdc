import { type ConfigurationState, type ConnectionId, type WorkspaceId } from '@penstock/contracts';
import { newWriteKey, SecretBox } from '@penstock/runtime';

const WORKSPACE = 'workspace0000001' as WorkspaceId;

/** Seals the settings of the sources. */
export const SECRETS = new SecretBox('a secret that only the vectors know of');

/** A source connection with its write key. */
export interface Source {
  readonly connector: 'nodejs' | 'javascript';
  readonly id: ConnectionId;
  readonly key: string;
}

/** The sources of the cases by their names in the cases: an SDK on a server, and one in a browser. */
export const newSources = (): Readonly<Record<string, Source>> => ({
  server: { connector: 'nodejs', id: 'server0000000001' as ConnectionId, key: newWriteKey() },
  browser: { connector: 'javascript', id: 'browser000000001' as ConnectionId, key: newWriteKey() },
});

/** The source's state in the configuration. */
export const connectionState = ({ connector, id, key }: Source): ConfigurationState => ({
  kind: 'connection',
  id,
  workspace: WORKSPACE,
  name: connector,
  connector,
  connectorType: 'SDK',
  role: 'Source',
  sendingMode: null,
  settings: SECRETS.seal('{}', WORKSPACE),
  version: 1,
  deleted: false,
  writeKeys: [{ hash: SECRETS.keyedHash(key), sealed: SECRETS.seal(key, WORKSPACE) }],
  links: [],
});
