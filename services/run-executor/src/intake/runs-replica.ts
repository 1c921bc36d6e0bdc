import {
  ConfigurationReplica,
  type ErasureState,
  isRun,
  type PipelineId,
  pipelineKey,
  type PipelineState,
  type OrganizationId,
  readStateKey,
  type ResolutionState,
  type RunControlState,
  type RunPipelineState,
  type StateRecord,
  type WorkspaceId,
} from '@penstock/contracts';
import { writesIdentities } from './writes-identities';

/** The state of a workspace whose resolution has not ended. */
export type LiveResolutionState = ResolutionState & {
  readonly live: NonNullable<ResolutionState['live']>;
};

/** A replica that also holds older versions of the pipelines that run, tells of runs, and knows which resolutions are live. */
export class RunsReplica extends ConfigurationReplica {
  private readonly workspaceIds = new Set<WorkspaceId>();
  private readonly running = new Map<string, RunPipelineState>();
  /** Pipelines that write identities in events. */
  private readonly ofEvents = new Map<PipelineId, WorkspaceId>();
  private readonly resolving = new Map<WorkspaceId, LiveResolutionState>();
  /** Pipelines that write identities and were changed, whose change nobody has taken over yet: who does removes them. */
  readonly toRemove = new Set<PipelineId>();

  /** @param onRuns called with each state of the runs of a pipeline, once it is applied. */
  constructor(private readonly onRuns: (state: RunControlState) => void) {
    super();
  }

  override apply(record: StateRecord): void {
    super.apply(record);
    const { state } = record;
    if (state.kind === 'pipeline' && isRun(state))
      this.running.set(pipelineKey(state.id, state.version), state);
    if (state.kind === 'pipeline') this.followPipeline(state);
    if (state.kind === 'warehouse') this.workspaceIds.add(state.id);
    if (state.kind === 'runs') this.onRuns(state);
    if (state.kind === 'resolution') this.followResolution(state);
  }

  /** @returns undefined when the version is not held. */
  runVersion(id: PipelineId, version: number): RunPipelineState | undefined {
    return this.running.get(pipelineKey(id, version));
  }

  /** Workspaces whose warehouse may be written to now. */
  writable(): readonly WorkspaceId[] {
    return [...this.workspaceIds].filter((id) => this.isWritable(id));
  }

  liveResolutions(): Iterable<LiveResolutionState> {
    return this.resolving.values();
  }

  /** Of workspaces in which somebody is to be erased. */
  liveErasures(): readonly ErasureState[] {
    return [...this.allErasures()].filter(({ live }) => live.length > 0);
  }

  /** Workspaces whose warehouse may be written to now, into which identities in events are written, or were. */
  resolvedAfterEvents(): ReadonlySet<WorkspaceId> {
    return new Set([...this.ofEvents.values()].filter((id) => this.isWritable(id)));
  }

  organizationOf(workspace: WorkspaceId): OrganizationId | undefined {
    return this.workspace(workspace)?.organization;
  }

  isWritable(workspace: WorkspaceId): boolean {
    return this.workspace(workspace) !== undefined && this.warehouse(workspace)?.mode === 'Normal';
  }

  protected override forget(key: string): void {
    const { kind, id, version } = readStateKey(key);
    if (kind === 'pipeline' && version !== undefined)
      this.running.delete(pipelineKey(id as PipelineId, version));
    if (kind === 'pipeline' && this.pipelineHead(id as PipelineId)?.version === version)
      this.ofEvents.delete(id as PipelineId);
    if (kind === 'resolution') this.resolving.delete(id as WorkspaceId);
    super.forget(key);
  }

  private followPipeline(state: PipelineState): void {
    if (this.pipelineHead(state.id)?.version !== state.version) return;
    if (!writesIdentities(state)) return;
    this.toRemove.add(state.id);
    // Also of one that is disabled or deleted: what it has written before is to be resolved.
    if (!isRun(state)) this.ofEvents.set(state.id, state.workspace);
  }

  private followResolution({ id }: ResolutionState): void {
    const state = this.resolution(id);
    if (state?.live == null) this.resolving.delete(id);
    else this.resolving.set(id, { ...state, live: state.live });
  }
}
