import type { ConnectionId, PipelineId } from './ids';
import type { PipelineState } from './state';

/** Every version of every pipeline, and which of them count now. */
export class PipelineVersions {
  private readonly versions = new Map<string, PipelineState>();
  private readonly newestOf = new Map<string, PipelineState>();
  private readonly present = new Map<string, Map<string, PipelineState>>();

  apply(state: PipelineState): void {
    this.versions.set(`${state.id}@${String(state.version)}`, state);
    if ((this.newestOf.get(state.id)?.version ?? 0) > state.version) return;
    this.newestOf.set(state.id, state);
    const siblings = this.present.get(state.connection) ?? new Map<string, PipelineState>();
    if (state.deleted) siblings.delete(state.id);
    else siblings.set(state.id, state);
    this.present.set(state.connection, siblings);
  }

  /** The newest version of each that the connection has now. */
  on(connection: ConnectionId): Iterable<PipelineState> {
    return this.present.get(connection)?.values() ?? [];
  }

  /** Whether the connection has, or once had, one. */
  wereOn(connection: ConnectionId): boolean {
    return [...this.newestOf.values()].some((each) => each.connection === connection);
  }

  /** Deleted or not. */
  newest(id: PipelineId): PipelineState | undefined {
    return this.newestOf.get(id);
  }

  version(id: PipelineId, version: number): PipelineState | undefined {
    return this.versions.get(`${id}@${String(version)}`);
  }
}
