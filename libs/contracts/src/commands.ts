import type { AsOf, AuditedFact, FactsWanted } from './audit';
import type {
  ConnectionDelivery,
  ConnectionRole,
  ConnectorType,
  EventWriteKey,
  Sealed,
} from './connection.facts';
import type { Actor } from './fact';
import type {
  ApiKeyId,
  ConnectionId,
  Instant,
  OrganizationId,
  PipelineId,
  SuppressionId,
  WorkspaceId,
} from './ids';
import type { NewApiKey } from './organization.facts';
import type { JsonString, Transformation } from './pipeline.facts';
import type { WarehouseCommands, WarehouseQueries } from './warehouse.commands';
import type { ConnectionStateAt } from './read-connection-history';
import type { NewWarehouse } from './warehouse.facts';

/** Who asks for what, where and when: with every command and query. */
export interface RequestContext {
  /** A repeated command of the same id is answered with the stored reply. */
  readonly commandId: string;
  readonly actor: Actor;
  readonly requestId: string;
  readonly organization: OrganizationId;
  /** Empty where the request is about the organization as a whole and names none. */
  readonly workspace: WorkspaceId;
  readonly time: Instant;
  /** The version that the caller has seen (`If-Match`); absent: any. */
  readonly expectedVersion?: number;
}

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
  /** JSON text of the settings, sealed; masked secrets in it stand for those that the connection has. Absent: unchanged. */
  readonly settings?: Sealed;
  /** Absent: unchanged; `null`: the defaults again. */
  readonly delivery?: ConnectionDelivery | null;
}

/** What a client may write; checked as a whole where the connection and its event types are known. */
export interface PipelineInput {
  readonly name: string;
  /** Absent: `false` on create, unchanged on update. */
  readonly enabled?: boolean;
  readonly filter: JsonString | null;
  readonly transformation: JsonString | null;
  readonly outSchema: JsonString | null;
}

/** Creates a pipeline on a connection, in version 1. */
export interface CreatePipeline extends PipelineInput {
  readonly id: PipelineId;
  readonly connection: string;
  readonly target: string;
  readonly eventType: string | null;
}

/** Message pattern → what goes in and what comes out. Every `in` is sent with a {@link RequestContext}. */
export interface Commands extends WarehouseCommands {
  CreateConnection: { in: CreateConnection; out: { readonly id: ConnectionId } };
  UpdateConnection: { in: UpdateConnection; out: Record<never, never> };
  DeleteConnection: { in: { readonly id: string }; out: Record<never, never> };
  LinkConnections: {
    in: { readonly source: string; readonly destination: string };
    out: Record<never, never>;
  };
  UnlinkConnections: {
    in: { readonly source: string; readonly destination: string };
    out: Record<never, never>;
  };
  CreateEventWriteKey: {
    in: { readonly connection: string; readonly key: EventWriteKey };
    /** The key that was made: that of the first time, when the command is repeated. */
    out: { readonly sealed: Sealed };
  };
  DeleteEventWriteKey: {
    in: { readonly connection: string; readonly hash: string };
    out: Record<never, never>;
  };
  CreatePipeline: { in: CreatePipeline; out: { readonly id: PipelineId } };
  UpdatePipeline: { in: PipelineInput & { readonly id: string }; out: Record<never, never> };
  SetPipelineStatus: {
    in: { readonly id: string; readonly enabled: boolean };
    out: Record<never, never>;
  };
  DeletePipeline: { in: { readonly id: string }; out: Record<never, never> };
  SetSchedulePeriod: {
    /** `period`: `null` ends the schedule. */
    in: { readonly id: string; readonly period: SchedulePeriod | null };
    out: Record<never, never>;
  };
  RunPipeline: {
    /** `incremental`: `null` is the pipeline's own setting. */
    in: { readonly id: string; readonly incremental: boolean | null };
    out: { readonly id: string };
  };
  SuppressUser: { in: { readonly id: SuppressionId }; out: Record<never, never> };
  UnsuppressUser: { in: { readonly id: SuppressionId }; out: Record<never, never> };
  CreateApiKey: { in: NewApiKey; out: { readonly id: ApiKeyId } };
  RevokeApiKey: { in: { readonly id: string } & Within; out: Record<never, never> };
  SetOrganizationStatus: { in: { readonly enabled: boolean }; out: Record<never, never> };
  CreateWorkspace: {
    /** Settings of the warehouse as the client wrote them. */
    in: {
      readonly id: WorkspaceId;
      readonly name: string;
      readonly warehouse: Omit<NewWarehouse, 'id'>;
    };
    out: { readonly id: WorkspaceId };
  };
  RenameWorkspace: {
    in: { readonly id: WorkspaceId; readonly name: string };
    out: Record<never, never>;
  };
  /** Everything in it goes with it. */
  DeleteWorkspace: { in: { readonly id: WorkspaceId }; out: Record<never, never> };
}

/** Source: API document, "Limits". */
export const SCHEDULE_PERIODS = [
  '5m',
  '15m',
  '30m',
  '1h',
  '2h',
  '3h',
  '6h',
  '8h',
  '12h',
  '24h',
] as const;

/** How often a scheduled pipeline runs. */
export type SchedulePeriod = (typeof SCHEDULE_PERIODS)[number];

/** What a request about the organization may see of it: everything, or what belongs to one workspace. */
export interface Within {
  readonly within: WorkspaceId | null;
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
}

/** A pipeline as a query answers it, in its newest version or as of a time. */
export interface PipelineView {
  readonly id: PipelineId;
  readonly version: number;
  readonly name: string;
  readonly connector: string;
  readonly connectorType: ConnectorType;
  readonly connection: ConnectionId;
  readonly connectionRole: ConnectionRole;
  readonly target: 'Event';
  readonly enabled: boolean;
  readonly eventType: string;
  readonly filter: JsonString | null;
  readonly transformation: Transformation | null;
  readonly inSchema: JsonString;
  readonly outSchema: JsonString | null;
}

/** An API key as it is shown: nothing of it authenticates. */
export type ApiKeyView = Omit<NewApiKey, 'hash'>;

/** A workspace as a query answers it. */
export interface WorkspaceView {
  readonly id: WorkspaceId;
  readonly version: number;
  readonly name: string;
}

/** Where a list goes on; opaque to clients. */
export interface Page {
  /** 1 to 1,000. */
  readonly limit: number;
  /** Empty: from the start. */
  readonly cursor: string;
}

/** An event that is to be shown as it would be sent; JSON texts as the client wrote them. */
export interface PreviewSendEvent {
  readonly connection: string;
  readonly eventType: string;
  readonly event: JsonString;
  readonly transformation: JsonString | null;
  readonly outSchema: JsonString | null;
}

/** Asks an application for a page of its users. */
export interface ListApplicationUsers {
  readonly connection: string;
  readonly schema: JsonString;
  readonly filter: JsonString | null;
  /** Empty: from the start. */
  readonly cursor: string;
}

/** Message pattern → what goes in and what comes out of each query. A query changes nothing. */
export interface Queries extends WarehouseQueries {
  GetConnection: { in: { readonly id: string } & AsOf; out: ConnectionView };
  ListConnections: {
    in: Page;
    out: { readonly connections: readonly ConnectionView[]; readonly cursor: string };
  };
  ListEventWriteKeys: {
    in: { readonly connection: string };
    out: { readonly keys: readonly Sealed[] };
  };
  GetEventTypeSchema: {
    in: { readonly connection: string; readonly eventType: string };
    out: { readonly schema: JsonString | null };
  };
  GetUserSchemas: {
    in: { readonly connection: string };
    /** No destination schema for a source. */
    out: { readonly source: JsonString; readonly destination: JsonString | null };
  };
  ListApplicationUsers: {
    in: ListApplicationUsers;
    out: { readonly users: readonly JsonString[]; readonly cursor: string };
  };
  PreviewSendEvent: { in: PreviewSendEvent; out: { readonly preview: string } };
  GetPipeline: { in: { readonly id: string } & AsOf; out: PipelineView };
  ListPipelines: {
    in: Page & { readonly connection?: string; readonly enabled?: boolean };
    out: { readonly pipelines: readonly PipelineView[]; readonly cursor: string };
  };
  ListApiKeys: {
    in: Page & Within;
    out: { readonly keys: readonly ApiKeyView[]; readonly cursor: string };
  };
  ListWorkspaces: {
    in: Page & Within;
    out: { readonly workspaces: readonly WorkspaceView[]; readonly cursor: string };
  };
  GetWorkspace: { in: { readonly id: WorkspaceId } & AsOf; out: WorkspaceView };
  /** Asked by services, about a connection of any workspace, whether it still exists or not. */
  ConnectionStates: {
    /** Configuration positions: from `from`, which is included, to `to`, which is not. */
    in: { readonly connection: ConnectionId; readonly from: number; readonly to: number };
    /**
     * Every state that held at one of the positions, oldest first; none where there are no positions or was no
     * connection. `next`: the position to go on from, `null` when these are all.
     */
    out: { readonly states: readonly ConnectionStateAt[]; readonly next: number | null };
  };
  /** Newest first. */
  ListFacts: {
    in: Page & FactsWanted;
    out: { readonly facts: readonly AuditedFact[]; readonly cursor: string };
  };
}

/** A command's answer says how far the configuration has come with it. */
export interface Recorded<Out> {
  /** Position of the last fact that the command led to, or of the newest fact when it led to none. */
  readonly position: number;
  readonly out: Out;
}

/** A request on the `commands` topic. */
export interface Request<In> {
  readonly context: RequestContext;
  readonly in: In;
}
