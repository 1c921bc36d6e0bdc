import { type DataKey, type DataKeyRecord, workspaceOfDataKey } from './data-key';
import type { ConnectionId, PipelineId, SuppressionId } from './ids';
import type { NewApiKey } from './organization.facts';
import {
  type ConnectionState,
  type OrganizationState,
  type PipelineState,
  stateKey,
  type StateRecord,
  type SuppressionState,
  type WorkspaceState,
} from './state';

const NOBODY: ReadonlySet<SuppressionId> = new Set();

interface Waiting {
  readonly position: number;
  readonly resolve: () => void;
}

/**
 * The configuration as far as this process has seen it, in memory. Fed with the records of the
 * `configuration.state` topic in order; a record that was seen before changes nothing.
 */
export class ConfigurationPicture {
  private seenPosition = 0;
  private suppressionPosition = 0;
  private readonly organizations = new Map<string, OrganizationState>();
  private readonly workspaces = new Map<string, WorkspaceState>();
  private readonly connections = new Map<string, ConnectionState>();
  private readonly versions = new Map<string, PipelineState>();
  private readonly newest = new Map<string, PipelineState>();
  private readonly pipelinesOf = new Map<string, Map<string, PipelineState>>();
  private readonly byWriteKey = new Map<string, ConnectionState>();
  private readonly byApiKey = new Map<
    string,
    { key: NewApiKey; organization: OrganizationState }
  >();
  private readonly suppressed = new Map<string, Set<SuppressionId>>();
  private readonly dataKeys = new Map<string, DataKey>();
  /** Position of the state that is held of each object. */
  private readonly heldFrom = new Map<string, number>();
  private waiting: Waiting[] = [];

  /** The position of the newest fact seen. */
  get seen(): number {
    return this.seenPosition;
  }

  /** Takes a message of the topic as it stands there. */
  take({ key, value }: { readonly key: string; readonly value: string | null }): void {
    const workspace = workspaceOfDataKey(key);
    if (workspace !== undefined) this.takeDataKey(workspace, value);
    else if (value !== null) this.apply(JSON.parse(value) as StateRecord);
  }

  apply({ position, state }: StateRecord): void {
    const key = stateKey(state);
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
        this.applyPipeline(state);
        break;
      case 'suppression':
        this.applySuppression(state);
        this.suppressionPosition = Math.max(this.suppressionPosition, position);
        break;
      case 'warehouse':
        // Whoever needs one asks for it.
        break;
    }
    this.advance(position);
  }

  /** Resolves once everything up to the position has been seen. */
  waitFor(position: number): Promise<void> {
    if (position <= this.seenPosition) return Promise.resolve();
    return new Promise((resolve) => this.waiting.push({ position, resolve }));
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
    return [...this.newest.values()].some((each) => each.connection === connection);
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
    return this.suppressed.get(workspace) ?? NOBODY;
  }

  /** Position of the newest change of who is suppressed; 0 when there was none. */
  get suppressedFrom(): number {
    return this.suppressionPosition;
  }

  /** @returns undefined when it was erased, as that of a deleted workspace is. */
  dataKey(workspace: string): DataKey | undefined {
    return this.dataKeys.get(workspace);
  }

  apiKey(hash: string): { key: NewApiKey; organization: OrganizationState } | undefined {
    return this.byApiKey.get(hash);
  }

  /** The newest version of each pipeline that the connection has now. */
  pipelinesOn(connection: ConnectionId): Iterable<PipelineState> {
    return this.pipelinesOf.get(connection)?.values() ?? [];
  }

  /** The newest version, deleted or not. */
  pipeline(id: PipelineId): PipelineState | undefined {
    return this.newest.get(id);
  }

  pipelineVersion(id: PipelineId, version: number): PipelineState | undefined {
    return this.versions.get(`${id}@${String(version)}`);
  }

  private takeDataKey(workspace: string, value: string | null): void {
    if (value === null) this.dataKeys.delete(workspace);
    else this.dataKeys.set(workspace, (JSON.parse(value) as DataKeyRecord).dataKey);
  }

  private applyOrganization(state: OrganizationState): void {
    for (const key of this.organizations.get(state.id)?.apiKeys ?? [])
      this.byApiKey.delete(key.hash);
    for (const key of state.apiKeys) this.byApiKey.set(key.hash, { key, organization: state });
    this.organizations.set(state.id, state);
  }

  private applyConnection(state: ConnectionState): void {
    const before = this.connections.get(state.id);
    if (before !== undefined && before.version > state.version) return;
    for (const { hash } of before?.writeKeys ?? []) this.byWriteKey.delete(hash);
    if (!state.deleted) for (const { hash } of state.writeKeys) this.byWriteKey.set(hash, state);
    this.connections.set(state.id, state);
  }

  private applySuppression({ id, workspace, suppressed }: SuppressionState): void {
    const ids = this.suppressed.get(workspace) ?? new Set();
    if (suppressed) ids.add(id);
    else ids.delete(id);
    this.suppressed.set(workspace, ids);
  }

  private applyPipeline(state: PipelineState): void {
    this.versions.set(`${state.id}@${String(state.version)}`, state);
    if ((this.newest.get(state.id)?.version ?? 0) > state.version) return;
    this.newest.set(state.id, state);
    const siblings = this.pipelinesOf.get(state.connection) ?? new Map<string, PipelineState>();
    if (state.deleted) siblings.delete(state.id);
    else siblings.set(state.id, state);
    this.pipelinesOf.set(state.connection, siblings);
  }

  private advance(position: number): void {
    if (position <= this.seenPosition) return;
    this.seenPosition = position;
    const ready = this.waiting.filter((each) => each.position <= position);
    if (ready.length === 0) return;
    this.waiting = this.waiting.filter((each) => each.position > position);
    for (const { resolve } of ready) resolve();
  }
}
