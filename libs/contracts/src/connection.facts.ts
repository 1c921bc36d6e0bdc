import type { ConnectionId, WorkspaceId } from './ids';

/** Whether data comes from the connection or goes to it. */
export type ConnectionRole = 'Source' | 'Destination';
/** The kind of system behind a connector. */
export type ConnectorType =
  | 'Application'
  | 'Database'
  | 'FileStorage'
  | 'MessageBroker'
  | 'SDK'
  | 'Webhook';

/** A text that only the workspace's data key opens (older ones: `PENSTOCK_SECRET`). Bound to the workspace. */
export type Sealed = string;

/** A key that names and admits a source at intake. */
export interface EventWriteKey {
  /** Keyed hash, for look-up. */
  readonly hash: string;
  /** The key, for the list of keys. */
  readonly sealed: Sealed;
}

/** How a destination that takes events is to be delivered to; a member that is absent has its default. */
export interface ConnectionDelivery {
  /** `key` (default): the events of one order key arrive in order. `none`: they need not. */
  readonly ordering?: 'key' | 'none';
  /** Seconds since its receipt in which an event is tried again; default: that of the installation. */
  readonly maxAgeSeconds?: number;
  /** Seconds that one request may take; default: the connector's. */
  readonly timeoutSeconds?: number;
}

/**
 * Bounds of {@link ConnectionDelivery} that hold in every installation; the retention of events bounds `maxAgeSeconds`
 * too. A hand-over of a partition never waits for a request's time-out: it aborts what is in flight after 5 s.
 */
export const DELIVERY_BOUNDS = {
  minMaxAgeSeconds: 60,
  minTimeoutSeconds: 1,
  maxTimeoutSeconds: 120,
} as const;

/** A connection as it is created. */
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
  /** Of a destination that takes events; absent: the defaults. */
  readonly delivery?: ConnectionDelivery;
}

/** What an update may change. */
export interface ConnectionChange extends Pick<NewConnection, 'name' | 'settings'> {
  /** Absent: unchanged; `null`: the defaults again. */
  readonly delivery?: ConnectionDelivery | null;
}

/**
 * Everything that can happen to a connection. Kept for ever: a member may be added as optional, none removed or
 * renamed.
 */
export type ConnectionFact =
  | { readonly type: 'ConnectionCreated'; readonly data: NewConnection }
  | { readonly type: 'ConnectionUpdated'; readonly data: ConnectionChange }
  | { readonly type: 'EventWriteKeyCreated'; readonly data: EventWriteKey }
  | { readonly type: 'EventWriteKeyDeleted'; readonly data: { readonly hash: string } }
  | { readonly type: 'ConnectionLinked'; readonly data: { readonly destination: ConnectionId } }
  | { readonly type: 'ConnectionUnlinked'; readonly data: { readonly destination: ConnectionId } }
  | { readonly type: 'ConnectionDeleted'; readonly data: Record<never, never> };
