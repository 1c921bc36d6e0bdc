import type { PipelineId, PipelineState } from '@penstock/contracts';
import type { Schema } from '@penstock/schema';
import type { RunIntake } from '../intake/run-intake';
import type { RunsReplica } from '../intake/runs-replica';
import type { DeletedPipeline, RemovalStore, WritingPipeline } from './removal-store';
import { leafPaths, writtenSchemaOf } from './written-schema';

/** What taking pipelines over from the configuration depends on. */
export interface RemovalIntakeDependencies {
  readonly store: Pick<RemovalStore, 'accept' | 'note'>;
  readonly replica: Pick<RunsReplica, 'pipelineHead' | 'pipeline' | 'toRemove'>;
  readonly runs: Pick<RunIntake, 'flushed'>;
  readonly onError: (error: unknown) => void;
}

/** Pipelines that are taken over at a time. */
const AT_ONCE = 1_000;

/** Takes pipelines over into the store that were deleted or updated. */
export class RemovalIntake {
  constructor(private readonly deps: RemovalIntakeDependencies) {}

  /** Takes over what was changed since; what was rejected is taken over the next time. */
  async takeAll(): Promise<void> {
    const { replica, runs } = this.deps;
    while (replica.toRemove.size > 0) {
      // Runs that were requested before are known then, so that the removal waits for them.
      await runs.flushed();
      const ids = [...replica.toRemove].slice(0, AT_ONCE);
      // What is changed meanwhile is taken over once more.
      for (const id of ids) replica.toRemove.delete(id);
      try {
        await this.take(ids);
      } catch (error) {
        for (const id of ids) replica.toRemove.add(id);
        throw error;
      }
    }
  }

  private async take(ids: readonly PipelineId[]): Promise<void> {
    const { store } = this.deps;
    const deleted = ids.flatMap((id) => this.deletedOf(id));
    const writing = ids.flatMap((id) => this.writingOf(id));
    await store.accept(deleted);
    await store.note(writing);
  }

  private writingOf(id: PipelineId): readonly WritingPipeline[] {
    const state = this.deps.replica.pipeline(id);
    const schema = state && this.schemaOf(state);
    if (state === undefined || schema === undefined) return [];
    const { workspace, version } = state;
    return [{ pipeline: id, workspace, version, properties: leafPaths(schema) }];
  }

  /** A schema that cannot be read must not keep others from being taken over. */
  private schemaOf(state: PipelineState): Schema | undefined {
    try {
      return writtenSchemaOf(state);
    } catch (error) {
      this.deps.onError(error);
      return undefined;
    }
  }

  private deletedOf(id: PipelineId): readonly DeletedPipeline[] {
    const head = this.deps.replica.pipelineHead(id);
    return head?.deleted === true ? [{ pipeline: id, workspace: head.workspace }] : [];
  }
}
