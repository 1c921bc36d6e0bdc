import { ApiKeyOwners, type OwnedApiKey } from './api-key-owners';
import { ConfigurationHistory } from './configuration-history';
import { type DataKey, type DataKeyRecord, workspaceOfDataKey } from './data-key';
import type { ConnectionId, PipelineId, SuppressionId } from './ids';
import type { HistoricalConnection, HistoricalConnectionRecord } from './historical-connection';
import { PipelineVersions } from './pipeline-versions';
import { SeenPosition } from './seen-position';
import {
  type ConnectionState,
  type OrganizationState,
  type PipelineState,
  stateKey,
  type StateRecord,
  type WorkspaceState,
} from './state';
import { SuppressedUsers } from './suppressed-users';

/**
 * The configuration as far as this process has seen it, in memory. Fed with the records of the
 * `configuration.state` topic in order; a record that was seen before changes nothing.
 */
export class ConfigurationReplica {
  /** As it was at earlier positions. */
  readonly history = new ConfigurationHistory();
  private readonly seenPosition = new SeenPosition();
  private readonly organizations = new Map<string, OrganizationState>();
  private readonly workspaces = new Map<string, WorkspaceState>();
  private readonly connections = new Map<string, ConnectionState>();
  private readonly pipelines = new PipelineVersions();
  private readonly byWriteKey = new Map<string, ConnectionState>();
  private readonly apiKeys = new ApiKeyOwners();
  private readonly suppressed = new SuppressedUsers();
  private readonly dataKeys = new Map<string, DataKey>();
  /** Position of the state that is held of each object. */
  private readonly heldFrom = new Map<string, number>();

  /** The position of the newest fact seen. */
  get seen(): number {
    return this.seenPosition.value;
  }

  /** Takes a message of the topic as it stands there. */
  take({ key, value }: { readonly key: string; readonly value: string | null }): void {
    const workspace = workspaceOfDataKey(key);
    if (workspace !== undefined) this.takeDataKey(workspace, value);
    else if (value !== null) this.apply(JSON.parse(value) as StateRecord);
  }

  apply({ position, state }: StateRecord): void {
    const key = stateKey(state);
    if (state.kind === 'connection') this.history.addConnection(position, state);
    if (position < (this.heldFrom.get(key) ?? 0)) return;
    this.heldFrom.set(key, position);
    switch (state.kind) {
      case 'organization':
        this.applyOrganization(state);
        break;
      case 'workspace':
        this.workspaces.set(state.id, state);
        break;
      case 'connection':
        this.applyConnection(state);
        break;
      case 'pipeline':
        this.pipelines.apply(state);
        this.history.addPipeline(position, state);
        break;
      case 'suppression':
        this.suppressed.apply(position, state);
        break;
      case 'warehouse':
        // Whoever needs one asks for it.
        break;
    }
    this.seenPosition.advance(position);
  }

  /** Resolves once everything up to the position has been seen. */
  waitFor(position: number): Promise<void> {
    return this.seenPosition.waitFor(position);
  }

  /**
   * Everything has been taken that stood in the topic some time after the newest record that was taken before. Only then
   * is the replica whole at {@link seen}: a compacted topic that is being read has left out what it will still bring.
   */
  settle(): void {
    this.history.settle(this.seen);
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

  /** The connections that the workspace has now, oldest first. */
  connectionsOf(workspace: string): ConnectionState[] {
    return this.connectionsEverOf(workspace).filter((each) => !each.deleted);
  }

  /** Also those that were deleted. */
  connectionsEverOf(workspace: string): ConnectionState[] {
    return [...this.connections.values()].filter((each) => each.workspace === workspace);
  }

  /** Whether the connection has, or once had, a pipeline. */
  hasHadPipeline(connection: ConnectionId): boolean {
    return this.pipelines.wereOn(connection);
  }

  workspacesOf(organization: string): WorkspaceState[] {
    return [...this.workspaces.values()].filter(
      (each) => each.organization === organization && !each.deleted,
    );
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
    return this.byWriteKey.get(hash);
  }

  /** Users whose events are left out. */
  suppressedIn(workspace: string): ReadonlySet<SuppressionId> {
    return this.suppressed.in(workspace);
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

  /** The newest version of each pipeline that the connection has now. */
  pipelinesOn(connection: ConnectionId): Iterable<PipelineState> {
    return this.pipelines.on(connection);
  }

  /** The newest version, deleted or not. */
  pipeline(id: PipelineId): PipelineState | undefined {
    return this.pipelines.newest(id);
  }

  pipelineVersion(id: PipelineId, version: number): PipelineState | undefined {
    return this.pipelines.version(id, version);
  }

  /**
   * The connection as it was at a position of the configuration.
   *
   * @returns undefined when it was not there then, or was deleted; `unknown` when what it was is not held:
   *   {@link learn} it.
   */
  connectionAt(id: ConnectionId, position: number): HistoricalConnection | undefined | 'unknown' {
    return this.history.connectionAt(id, position);
  }

  /**
   * The pipelines that the connection had at a position, each in its version of then, sorted by their ids. Also those
   * that were deleted later, and those of a connection that was.
   */
  pipelinesOnAt(connection: ConnectionId, position: number): PipelineState[] {
    return this.history.pipelinesOnAt(connection, position);
  }

  /**
   * Takes older states of a connection from elsewhere, in order; those that are held change nothing.
   *
   * @param upTo the position up to which there are no others behind the first of them; without any: it was not there yet.
   */
  learn(id: ConnectionId, records: readonly HistoricalConnectionRecord[], upTo: number): void {
    this.history.learn(id, records, upTo);
  }

  /** Drops what was superseded before the position; {@link connectionAt} may not know it from then on. */
  forgetBefore(position: number): void {
    this.history.forgetBefore(position);
  }

  private takeDataKey(workspace: string, value: string | null): void {
    if (value === null) this.dataKeys.delete(workspace);
    else this.dataKeys.set(workspace, (JSON.parse(value) as DataKeyRecord).dataKey);
  }

  private applyOrganization(state: OrganizationState): void {
    this.apiKeys.replace(this.organizations.get(state.id), state);
    this.organizations.set(state.id, state);
  }

  private applyConnection(state: ConnectionState): void {
    const before = this.connections.get(state.id);
    if (before !== undefined && before.version > state.version) return;
    for (const { hash } of before?.writeKeys ?? []) this.byWriteKey.delete(hash);
    if (!state.deleted) for (const { hash } of state.writeKeys) this.byWriteKey.set(hash, state);
    this.connections.set(state.id, state);
  }
}
