import type { HistorySource, PipelineId, WorkspaceId } from '@penstock/contracts';
import type { WarehouseWriter } from '@penstock/warehouses';
import type { RunsReplica } from '../intake/runs-replica';
import { newestVersion } from './newest-version';
import type { RemovalStore } from './removal-store';

/** What looking for pipelines that have left something depends on. */
export interface LeftPipelinesDependencies {
  readonly store: Pick<RemovalStore, 'repeat'>;
  readonly replica: Pick<RunsReplica, 'pipelineHead'>;
  readonly history: Pick<HistorySource, 'pipelineStates'>;
}

/** Pipelines that are looked at in one warehouse: nobody has more. */
const LOOKED_AT = 10_000;
/** Pipelines of one warehouse that the pipeline service is asked about: whoever has it may have written any ids there. */
const ASKED = 100;

/**
 * Finds what deleted pipelines have left in a warehouse: what was written after the last pass of a removal, or by a pipeline
 * whose deletion no executor has seen.
 */
export class LeftPipelines {
  constructor(private readonly deps: LeftPipelinesDependencies) {}

  /** Has it removed. */
  async find(workspace: WorkspaceId, warehouse: Pick<WarehouseWriter, 'pipelines'>): Promise<void> {
    const { store, replica } = this.deps;
    const found = await warehouse.pipelines(LOOKED_AT);
    for (const pipeline of found) {
      const head = replica.pipelineHead(pipeline);
      if (head?.deleted === true && head.workspace === workspace)
        await store.repeat({ pipeline, workspace });
    }
    const unknown = found.filter((pipeline) => replica.pipelineHead(pipeline) === undefined);
    for (const pipeline of unknown.slice(0, ASKED))
      if (await this.isDeleted(workspace, pipeline)) await store.repeat({ pipeline, workspace });
  }

  /** One that this process does not know may be new, or deleted long ago: the pipeline service knows. */
  private async isDeleted(workspace: WorkspaceId, pipeline: PipelineId): Promise<boolean> {
    const newest = await newestVersion(this.deps.history, pipeline);
    return newest?.deleted === true && newest.workspace === workspace;
  }
}
