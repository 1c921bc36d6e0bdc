import type { PipelineId, RunEnd, RunId, WorkspaceId } from '@penstock/contracts';
import type { EndedRun, RunStore } from '../store/run-store';
import { Postponements } from './postponements';
import type { RunWriters } from './run-writers';

/** What finishing runs depends on. */
export interface EndedRunsDependencies {
  readonly store: Pick<RunStore, 'left' | 'finish' | 'forgetKeys'>;
  /** Tells the pipeline service how a run has ended. Rejects when there is no answer: it is to be repeated. */
  readonly endRun: (pipeline: PipelineId, end: RunEnd) => Promise<void>;
  /**
   * Asks for a resolution of the identities of a workspace after an import, under a command id: every executor may tell of a
   * run, and one resolution is made. Rejects when there is no answer.
   */
  readonly resolve: (workspace: WorkspaceId, command: string) => Promise<void>;
  readonly writers: Pick<RunWriters, 'within' | 'begin' | 'beginMatches'>;
  /** Whether the workspace is known to be deleted: nobody waits for its ends. One that is not known may be new. */
  readonly isDeleted: (workspace: WorkspaceId) => boolean;
  /** Whether the mode of the warehouse allows that something is written. */
  readonly isWritable: (workspace: WorkspaceId) => boolean;
  readonly onError: (error: unknown, run: RunId) => void;
}

/** Runs that are told, or cleaned, at a time. */
const AT_ONCE = 50;
/** Milliseconds for the warehouse. */
const FORGET_MS = 60_000;
/** Milliseconds until telling is tried again, or another run of a workspace whose warehouse has failed. */
const AGAIN_MS = 10_000;
/** Milliseconds until the same run is cleaned again. */
const CLEAN_AGAIN_MS = 60_000;

/**
 * Does what is left to be done for runs that have ended, whichever process has ended them. No warehouse that fails, or
 * does not answer, delays what is done for the runs of others, or that their ends are told.
 */
export class EndedRuns {
  private readonly untold = new Postponements<RunId>();
  private readonly uncleaned = new Postponements<RunId>();
  private readonly unreachable = new Postponements<WorkspaceId>();
  private readonly cleaning = new Map<WorkspaceId, Promise<void>>();
  private readonly closing = new AbortController();

  constructor(private readonly deps: EndedRunsDependencies) {}

  /** Tells the ends of runs. */
  async tellAll(): Promise<void> {
    const but = { runs: this.untold.list(), workspaces: [] };
    const ended = await this.deps.store.left('told', AT_ONCE, but);
    await Promise.all(ended.map((each) => this.tell(each)));
  }

  /** Begins to clean up after runs whose ends were told, one after the other in each workspace. */
  async cleanAll(): Promise<void> {
    const { cleaning, uncleaned, unreachable } = this;
    if (cleaning.size >= AT_ONCE) return;
    const workspaces = [...unreachable.list(), ...cleaning.keys()];
    const but = { runs: uncleaned.list(), workspaces };
    const ended = await this.deps.store.left('cleaned', AT_ONCE - cleaning.size, but);
    for (const workspace of new Set(ended.map((each) => each.workspace))) {
      const runs = ended.filter((each) => each.workspace === workspace);
      const work = this.cleanEach(runs).finally(() => cleaning.delete(workspace));
      cleaning.set(workspace, work);
    }
  }

  /** Gives up what is being cleaned up. */
  async close(): Promise<void> {
    this.closing.abort();
    await Promise.all(this.cleaning.values());
  }

  private async tell({ run, pipeline, workspace, ...ended }: EndedRun): Promise<void> {
    const { store, endRun, resolve, isDeleted, onError } = this.deps;
    try {
      const { status, cursor, error, endedAt, wasClaimed, isExport } = ended;
      if (!isDeleted(workspace)) {
        await endRun(pipeline, { run, status, cursor, error, endedAt });
        if (wasClaimed && !isExport) await resolve(workspace, `after run ${run}`);
      }
      await store.finish(run, 'told');
    } catch (error) {
      this.untold.postpone(run, AGAIN_MS);
      onError(error, run);
    }
  }

  private async cleanEach(runs: readonly EndedRun[]): Promise<void> {
    const { store, onError } = this.deps;
    for (const each of runs) {
      const { run, workspace } = each;
      if (this.needsWarehouse(each) && !this.deps.isWritable(workspace)) {
        this.unreachable.postpone(workspace, AGAIN_MS);
        return;
      }
      try {
        await this.clean(each);
        await store.finish(run, 'cleaned');
      } catch (error) {
        if (this.closing.signal.aborted) return;
        this.uncleaned.postpone(run, CLEAN_AGAIN_MS);
        this.unreachable.postpone(workspace, AGAIN_MS);
        onError(error, run);
        return;
      }
    }
  }

  private needsWarehouse({ workspace, isExport, hasMatches }: EndedRun): boolean {
    return !this.deps.isDeleted(workspace) && (!isExport || hasMatches);
  }

  /** The epoch is beyond that of every worker: also that of one that has cancelled the run. */
  private async clean(ended: EndedRun): Promise<void> {
    const { store, writers } = this.deps;
    const { run, workspace, epoch, isExport, hasMatches } = ended;
    if (isExport) await store.forgetKeys(run);
    if (!this.needsWarehouse(ended)) return;
    const signal = AbortSignal.any([this.closing.signal, AbortSignal.timeout(FORGET_MS)]);
    await writers.within(workspace, signal, async (warehouse) => {
      if (hasMatches) {
        const matches = await writers.beginMatches(warehouse, ended, epoch + 1);
        await matches.forget();
        return;
      }
      const writer = await writers.begin(warehouse, run, epoch + 1);
      await writer.forget(run);
    });
  }
}
