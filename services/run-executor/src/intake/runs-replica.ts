import {
  ConfigurationReplica,
  type ImportPipelineState,
  type PipelineId,
  pipelineKey,
  readStateKey,
  type RunControlState,
  type StateRecord,
} from '@penstock/contracts';

/** A replica that also holds older versions of the pipelines that import users, and tells of runs. */
export class RunsReplica extends ConfigurationReplica {
  private readonly imports = new Map<string, ImportPipelineState>();

  /** @param onRuns called with each state of the runs of a pipeline, once it is applied. */
  constructor(private readonly onRuns: (state: RunControlState) => void) {
    super();
  }

  override apply(record: StateRecord): void {
    super.apply(record);
    const { state } = record;
    if (state.kind === 'pipeline' && state.target === 'User')
      this.imports.set(pipelineKey(state.id, state.version), state);
    if (state.kind === 'runs') this.onRuns(state);
  }

  /** @returns undefined when the version is not held. */
  importVersion(id: PipelineId, version: number): ImportPipelineState | undefined {
    return this.imports.get(pipelineKey(id, version));
  }

  protected override forget(key: string): void {
    const { kind, id, version } = readStateKey(key);
    if (kind === 'pipeline' && version !== undefined)
      this.imports.delete(pipelineKey(id as PipelineId, version));
    super.forget(key);
  }
}
