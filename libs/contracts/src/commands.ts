import type { ConnectionRole, ConnectorType, EventWriteKey, Sealed } from './connection.facts';
import type { Actor } from './fact';
import type { ConnectionId, Instant, OrganizationId, PipelineId, WorkspaceId } from './ids';
import type { JsonString, Transformation } from './pipeline.facts';
import type { WarehouseCommands, WarehouseQueries } from './warehouse.commands';

/** Who asks for what, where and when: with every command and query. */
export interface RequestContext {
  /** A repeated command of the same id is answered with the stored reply. */
  readonly commandId: string;
  readonly actor: Actor;
  readonly requestId: string;
  readonly organization: OrganizationId;
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
  /** Used when the connection takes events: its first write key. */
  readonly writeKey: EventWriteKey;
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

export interface CreatePipeline extends PipelineInput {
  readonly id: PipelineId;
  readonly connection: string;
  readonly target: string;
  readonly eventType: string | null;
}

/** Message pattern → what goes in and what comes out. Every `in` is sent with a {@link RequestContext}. */
export interface Commands extends WarehouseCommands {
  CreateConnection: { in: CreateConnection; out: { readonly id: ConnectionId } };
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
    out: Record<never, never>;
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
}

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
}

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

/** Where a list goes on; opaque to clients. */
export interface Page {
  /** 1 to 1,000. */
  readonly limit: number;
  /** Empty: from the start. */
  readonly cursor: string;
}

export interface Queries extends WarehouseQueries {
  GetConnection: { in: { readonly id: string }; out: ConnectionView };
  ListConnections: {
    in: Page;
    out: { readonly connections: readonly ConnectionView[]; readonly cursor: string };
  };
  ListEventWriteKeys: {
    in: { readonly connection: string };
    out: { readonly keys: readonly Sealed[] };
  };
  GetPipeline: { in: { readonly id: string }; out: PipelineView };
  ListPipelines: {
    in: Page & { readonly connection?: string; readonly enabled?: boolean };
    out: { readonly pipelines: readonly PipelineView[]; readonly cursor: string };
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
