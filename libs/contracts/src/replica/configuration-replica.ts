import { type DataKey, workspaceOfDataKey } from '../data-key';
import type { ConnectionId, PipelineId, SuppressionId } from '../ids';
import type { ErasureState } from '../erasure.facts';
import { readState } from '../read-records';
import type { ResolutionState } from '../resolution.facts';
import {
  type ConfigurationState,
  type ConnectionState,
  type OrganizationState,
  type PipelineState,
  readStateKey,
  type RunControlState,
  type StateRecord,
  type WarehouseState,
  type WorkspaceState,
} from '../state';
import { ApiKeyOwners, type OwnedApiKey } from './api-key-owners';
import { HeldDataKeys } from './held-data-keys';
import { NewestAlerts } from './newest-alerts';
import { NewestConnections } from './newest-connections';
import { NewestPipelines, type PipelineHead } from './newest-pipelines';
import { RecordedHealths } from './recorded-healths';
import { SeenPosition } from './seen-position';
import { SuppressedUsers } from './suppressed-users';

/** How a replica holds what it holds. */
export interface ReplicaOptions {
  /** Whether the texts of pipelines are compressed in memory: for who looks at few of them. Default: no. */
  readonly isCompressed?: boolean;
}

/**
 * The configuration as far as this process has seen it, in memory: the newest state of each object. Fed with the
 * records of the `configuration.state` topic in order; a record that was seen before changes nothing.
 */
export class ConfigurationReplica {
  readonly healths = new RecordedHealths();
  readonly alerts = new NewestAlerts();
  private readonly seenPosition = new SeenPosition();
  private readonly organizations = new Map<string, OrganizationState>();
  private readonly workspaces = new Map<string, WorkspaceState>();
  private readonly connections = new NewestConnections();
  private readonly pipelines: NewestPipelines;
  private readonly warehouses = new Map<string, WarehouseState>();
  private readonly runControls = new Map<string, RunControlState>();
  private readonly resolutions = new Map<string, ResolutionState>();
  private readonly erasures = new Map<string, ErasureState>();
  private readonly apiKeys = new ApiKeyOwners();
  private readonly suppressed = new SuppressedUsers();
  private readonly dataKeys = new HeldDataKeys();
  /** Position of the state that is held of each object. */
  private readonly heldFrom = new Map<string, number>();

  constructor({ isCompressed = false }: ReplicaOptions = {}) {
    this.pipelines = new NewestPipelines(isCompressed);
  }

  /** The position of the newest fact seen. */
  get seen(): number {
    return this.seenPosition.value;
  }

  /** Applies a message of the topic, given as the topic has it. @throws TypeError when it is none of ours. */
  take({ key, value }: { readonly key: string; readonly value: string | null }): void {
    const workspace = workspaceOfDataKey(key);
    if (workspace !== undefined) this.dataKeys.take(workspace, value);
    else if (value === null) this.forget(key);
    else {
      const record = readState(value);
      if (record === undefined) throw new TypeError('this is no state');
      this.apply(record);
    }
  }

  apply({ position, state }: StateRecord): void {
    const key = `${state.kind}:${state.id}`;
    if (position >= (this.heldFrom.get(key) ?? 0)) {
      this.hold(position, state);
      this.heldFrom.set(key, position);
    }
    this.seenPosition.advance(position);
  }

  /** Resolves once everything up to the position has been seen. */
  waitFor(position: number): Promise<void> {
    return this.seenPosition.waitFor(position);
  }

  organization(id: string): OrganizationState | undefined {
    return this.organizations.get(id);
  }

  /** @returns undefined for one that never was and for one that was deleted. */
  workspace(id: string): WorkspaceState | undefined {
    const found = this.workspaces.get(id);
    return found?.deleted === true ? undefined : found;
  }

  /** Also one that was deleted: it has a history. */
  workspaceEver(id: string): WorkspaceState | undefined {
    return this.workspaces.get(id);
  }

  /** The one that was made before all others; undefined when it was deleted. Ids sort by time. */
  firstWorkspace(): WorkspaceState | undefined {
    const [first] = [...this.workspaces.keys()].sort();
    return first === undefined ? undefined : this.workspace(first);
  }

  workspacesOf(organization: string): WorkspaceState[] {
    return [...this.workspaces.values()].filter(
      (each) => each.organization === organization && !each.deleted,
    );
  }

  /** @returns undefined for a workspace that has none yet. */
  warehouse(workspace: string): WarehouseState | undefined {
    return this.warehouses.get(workspace);
  }

  /** Of all workspaces that ever had one. */
  allWarehouses(): Iterable<WarehouseState> {
    return this.warehouses.values();
  }

  /** The connections that the workspace has now, oldest first. */
  connectionsOf(workspace: string): ConnectionState[] {
    return this.connections.in(workspace).flatMap((id) => this.connections.get(id) ?? []);
  }

  /** The same, newest first from behind the cursor on; an empty cursor: from the newest. */
  *connectionsBefore(workspace: string, cursor: string): Iterable<ConnectionState> {
    for (const id of this.connections.newestFirst(workspace, cursor)) {
      const state = this.connections.get(id);
      if (state !== undefined) yield state;
    }
  }

  /** Also those that were deleted. */
  connectionsEverOf(workspace: string): ConnectionState[] {
    return [...this.connections.all()].filter((each) => each.workspace === workspace);
  }

  /** @returns undefined for one that never was and for one that was deleted. */
  connection(id: ConnectionId | string): ConnectionState | undefined {
    const found = this.connections.get(id);
    return found?.deleted === true ? undefined : found;
  }

  /** Also one that was deleted: a delivery may still wait for it. */
  connectionEver(id: ConnectionId): ConnectionState | undefined {
    return this.connections.get(id);
  }

  connectionByWriteKey(hash: string): ConnectionState | undefined {
    return this.connections.withWriteKey(hash);
  }

  /** Ids of the connections that are linked to the destination, oldest first. */
  sourcesOf(destination: ConnectionId): readonly ConnectionId[] {
    return this.connections.sourcesOf(destination);
  }

  /** Users and anonymous visitors whose events are left out. */
  suppressedIn(workspace: string): ReadonlySet<SuppressionId> {
    return this.suppressed.in(workspace);
  }

  /** How many users of the workspace are suppressed; anonymous visitors do not count. */
  suppressedUsersOf(workspace: string): number {
    return this.suppressed.countOf(workspace);
  }

  /** Position of the newest change of who is suppressed; 0 when there was none. */
  get suppressedFrom(): number {
    return this.suppressed.from;
  }

  /** @returns undefined when it was erased, as that of a deleted workspace is. */
  dataKey(workspace: string): DataKey | undefined {
    return this.dataKeys.get(workspace);
  }

  apiKey(hash: string): OwnedApiKey | undefined {
    return this.apiKeys.find(hash);
  }

  /** @returns undefined for one that never was and for one that was deleted. */
  pipeline(id: PipelineId | string): PipelineState | undefined {
    return this.pipelines.get(id);
  }

  /** What names a pipeline and its version, also one that was deleted. */
  pipelineHead(id: PipelineId): PipelineHead | undefined {
    return this.pipelines.head(id);
  }

  /** Ids of the pipelines that the connection has now, oldest first. */
  pipelinesOn(connection: ConnectionId): readonly PipelineId[] {
    return this.pipelines.on(connection);
  }

  /** Of the pipelines that a workspace has, or one connection in it; newest first from behind the cursor on. */
  pipelinesBefore(
    workspace: string,
    connection: string | undefined,
    cursor: string,
  ): Iterable<PipelineHead> {
    return this.pipelines.newestFirst(workspace, connection, cursor);
  }

  /** Of a pipeline that was scheduled or run before, also one that was deleted. */
  runControl(pipeline: PipelineId | string): RunControlState | undefined {
    return this.runControls.get(pipeline);
  }

  /** Of all pipelines that were scheduled or run before. */
  allRunControls(): Iterable<RunControlState> {
    return this.runControls.values();
  }

  /** @returns undefined for a workspace whose identities were never to be resolved. */
  resolution(workspace: string): ResolutionState | undefined {
    return this.resolutions.get(workspace);
  }

  /** Of all workspaces in which somebody was ever to be erased. */
  allErasures(): Iterable<ErasureState> {
    return this.erasures.values();
  }

  /** Whether the connection has, or once had, a pipeline. */
  hasHadPipeline(connection: ConnectionId): boolean {
    return this.pipelines.wereOn(connection);
  }

  /** The topic holds the state under the key no more: the object was deleted long ago, or the version superseded. */
  protected forget(key: string): void {
    const { kind, id, version } = readStateKey(key);
    if (version !== undefined && this.pipelines.head(id)?.version !== version) return;
    this.heldFrom.delete(`${kind}:${id}`);
    if (kind === 'pipeline') this.pipelines.forget(id);
    else if (kind === 'connection') this.connections.forget(id);
    else if (kind === 'health') this.healths.forget(id);
    else if (kind === 'runs') this.runControls.delete(id);
    else if (kind === 'resolution') this.resolutions.delete(id);
    else if (kind === 'erasure') this.erasures.delete(id);
    else if (kind === 'alert') this.alerts.forget(id);
  }

  private hold(position: number, state: ConfigurationState): void {
    switch (state.kind) {
      case 'organization':
        this.apiKeys.replace(this.organizations.get(state.id), state);
        this.organizations.set(state.id, state);
        break;
      case 'workspace':
        this.workspaces.set(state.id, state);
        break;
      case 'connection':
        this.connections.apply(state);
        break;
      case 'pipeline':
        this.pipelines.apply(state);
        break;
      case 'suppression':
        this.suppressed.apply(position, state);
        break;
      case 'warehouse':
        this.warehouses.set(state.id, state);
        break;
      case 'health':
        this.healths.apply(state);
        break;
      case 'runs':
        this.runControls.set(state.id, state);
        break;
      case 'resolution':
        this.resolutions.set(state.id, state);
        break;
      case 'erasure':
        this.erasures.set(state.id, state);
        break;
      case 'alert':
        this.alerts.apply(state);
        break;
    }
  }
}
