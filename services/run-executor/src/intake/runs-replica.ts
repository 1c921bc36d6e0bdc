import {
  ConfigurationReplica,
  type ImportPipelineState,
  isImport,
  type PipelineId,
  pipelineKey,
  readStateKey,
  type RunControlState,
  type StateRecord,
  type WorkspaceId,
} from '@penstock/contracts';

/** A replica that also holds older versions of the pipelines that import users, and tells of runs. */
export class RunsReplica extends ConfigurationReplica {
  private readonly workspaceIds = new Set<WorkspaceId>();
  private readonly imports = new Map<string, ImportPipelineState>();

  /** @param onRuns called with each state of the runs of a pipeline, once it is applied. */
  constructor(private readonly onRuns: (state: RunControlState) => void) {
    super();
  }

  override apply(record: StateRecord): void {
    super.apply(record);
    const { state } = record;
    if (state.kind === 'pipeline' && isImport(state))
      this.imports.set(pipelineKey(state.id, state.version), state);
    if (state.kind === 'warehouse') this.workspaceIds.add(state.id);
    if (state.kind === 'runs') this.onRuns(state);
  }

  /** @returns undefined when the version is not held. */
  importVersion(id: PipelineId, version: number): ImportPipelineState | undefined {
    return this.imports.get(pipelineKey(id, version));
  }

  /** Workspaces whose warehouse may be written to now. */
  writable(): readonly WorkspaceId[] {
    return [...this.workspaceIds].filter(
      (id) => this.workspace(id) !== undefined && this.warehouse(id)?.mode === 'Normal',
    );
  }

  protected override forget(key: string): void {
    const { kind, id, version } = readStateKey(key);
    if (kind === 'pipeline' && version !== undefined)
      this.imports.delete(pipelineKey(id as PipelineId, version));
    super.forget(key);
  }
}
