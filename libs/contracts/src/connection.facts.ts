import type { ConnectionId, WorkspaceId } from './ids';

export type ConnectionRole = 'Source' | 'Destination';
export type ConnectorType =
  'Application' | 'Database' | 'FileStorage' | 'MessageBroker' | 'SDK' | 'Webhook';

/** A text that only the workspace's data key opens (older ones: `PENSTOCK_SECRET`). Bound to the workspace. */
export type Sealed = string;

export interface EventWriteKey {
  /** Keyed hash, for look-up. */
  readonly hash: string;
  /** The key, for the list of keys. */
  readonly sealed: Sealed;
}

export interface NewConnection {
  readonly id: ConnectionId;
  readonly workspace: WorkspaceId;
  readonly name: string;
  /** The connector's code. */
  readonly connector: string;
  readonly connectorType: ConnectorType;
  readonly role: ConnectionRole;
  readonly sendingMode: 'Server' | null;
  /** JSON text of the settings, sealed as a whole: any of them may hold a secret. */
  readonly settings: Sealed;
}

export type ConnectionFact =
  | { readonly type: 'ConnectionCreated'; readonly data: NewConnection }
  | { readonly type: 'ConnectionUpdated'; readonly data: Pick<NewConnection, 'name' | 'settings'> }
  | { readonly type: 'EventWriteKeyCreated'; readonly data: EventWriteKey }
  | { readonly type: 'EventWriteKeyDeleted'; readonly data: { readonly hash: string } }
  | { readonly type: 'ConnectionLinked'; readonly data: { readonly destination: ConnectionId } }
  | { readonly type: 'ConnectionUnlinked'; readonly data: { readonly destination: ConnectionId } }
  | { readonly type: 'ConnectionDeleted'; readonly data: Record<never, never> };
