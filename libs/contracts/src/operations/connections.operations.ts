import type { AsOf } from '../audit';
import type {
  ConnectionDelivery,
  ConnectionRole,
  ConnectorType,
  EventWriteKey,
  Sealed,
} from '../connection.facts';
import type { ConnectionId, PipelineId } from '../ids';
import type { ConnectionStateAt } from '../history-source';
import type { HealthView } from './health.operations';
import { always, command, query, read } from './operation';
import type { Page, Search } from './page';

/** Secrets travel sealed: the log holds no plain one. */
export interface CreateConnection {
  readonly id: ConnectionId;
  readonly name: string;
  readonly role: ConnectionRole;
  readonly connector: string;
  /** JSON text of the settings, sealed. */
  readonly settings: Sealed;
  readonly sendingMode: 'Server' | null;
  readonly linkedConnections: readonly ConnectionId[];
  /** `null` and absent: the defaults. */
  readonly delivery?: ConnectionDelivery | null;
  /** Used when the connection takes events: its first write key. */
  readonly writeKey: EventWriteKey;
}

/** Changes a connection; what is absent stays as it is. */
export interface UpdateConnection {
  readonly id: string;
  readonly name: string;
  /**
   * JSON text of the settings, sealed; masked secrets in it stand for those that the connection has. Absent: unchanged.
   */
  readonly settings?: Sealed;
  /** Absent: unchanged; `null`: the defaults again. */
  readonly delivery?: ConnectionDelivery | null;
}

/** A connection as a query answers it; settings are still sealed. */
export interface ConnectionView {
  readonly id: ConnectionId;
  readonly version: number;
  readonly name: string;
  readonly connector: string;
  readonly connectorType: ConnectorType;
  readonly role: ConnectionRole;
  readonly sendingMode: 'Server' | null;
  readonly linkedConnections: readonly ConnectionId[];
  readonly pipelines: readonly PipelineId[];
  readonly settings: Sealed;
  /** Absent: the defaults, or a connection that no events are delivered to. */
  readonly delivery?: ConnectionDelivery;
  /** Absent: it has always been healthy. */
  readonly health?: HealthView;
}

interface Link {
  readonly source: string;
  readonly destination: string;
}

/** Codes of connectors that try settings at the server when a connection is created or changed. */
export const CHECKED_CONNECTORS: readonly string[] = [
  ...['postgresql', 'mysql', 'clickhouse', 'snowflake'],
  ...['hubspot', 'stripe', 'mailchimp', 'klaviyo', 'brevo'],
];

export const CONNECTION_OPERATIONS = {
  ListConnections: read<
    Page & Search,
    { readonly connections: readonly ConnectionView[]; readonly cursor: string }
  >(),
  CreateConnection: command<CreateConnection, { readonly id: ConnectionId }>({
    refusals: [
      { code: 'ConnectorNotExist', kind: 'refused' },
      'InvalidSettings',
      'LinkedConnectionNotExist',
      'ConnectionsLimitReached',
    ],
    isSlow: ({ connector }) => CHECKED_CONNECTORS.includes(connector),
  }),
  GetConnection: read<{ readonly id: string }, ConnectionView>({
    refusals: ['ConnectionNotExist'],
    isVersioned: true,
  }),
  GetConnectionAsOf: query<{ readonly id: string } & AsOf, ConnectionView>({
    refusals: ['ConnectionNotExist'],
    isSlow: always,
  }),
  UpdateConnection: command<UpdateConnection>({
    refusals: [
      'ConnectionNotExist',
      { code: 'ConnectorNotExist', kind: 'refused' },
      'InvalidSettings',
    ],
    isVersioned: true,
    // Which connector it is stands in the configuration: new settings may be tried.
    isSlow: ({ settings }) => settings !== undefined,
  }),
  /** Its pipelines, keys and links go with it. */
  DeleteConnection: command<{ readonly id: string }>({
    refusals: ['ConnectionNotExist'],
    isVersioned: true,
  }),
  /** A link is its source's: it has the version of that, as an event write key has. */
  LinkConnections: command<Link>({ refusals: ['ConnectionNotExist'], isVersioned: true }),
  UnlinkConnections: command<Link>({ refusals: ['ConnectionNotExist'], isVersioned: true }),
  /** Answers the key that was made: that of the first time, when the command is repeated. */
  CreateEventWriteKey: command<
    { readonly connection: string; readonly key: EventWriteKey },
    { readonly sealed: Sealed }
  >({ refusals: ['ConnectionNotExist', 'TooManyEventWriteKeys'], isVersioned: true }),
  ListEventWriteKeys: read<
    { readonly connection: string },
    { readonly version: number; readonly keys: readonly Sealed[] }
  >({ refusals: ['ConnectionNotExist'], isVersioned: true }),
  DeleteEventWriteKey: command<{ readonly connection: string; readonly hash: string }>({
    refusals: ['ConnectionNotExist', 'EventWriteKeyNotExist', 'SingleEventWriteKey'],
    isVersioned: true,
  }),
  /**
   * Sent by services, about a connection of any workspace, whether it still exists or not. Answers every state that
   * held at one of the configuration positions from `from`, which is included, to `to`, which is not, oldest first;
   * none where there are no positions or was no connection. `next`: the position to go on from, `null` when these are
   * all.
   */
  ConnectionStates: query<
    { readonly connection: ConnectionId; readonly from: number; readonly to: number },
    { readonly states: readonly ConnectionStateAt[]; readonly next: number | null }
  >(),
};
