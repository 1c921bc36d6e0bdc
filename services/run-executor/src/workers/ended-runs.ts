import type { PipelineId, RunEnd, RunId, WorkspaceId } from '@penstock/contracts';
import type { EndedRun, RunStore } from '../store/run-store';
import type { RunWriters } from './run-writers';

/** What finishing runs depends on. */
export interface EndedRunsDependencies {
  readonly store: Pick<RunStore, 'unfinished' | 'finish'>;
  /** Tells the pipeline service how a run has ended. Rejects when there is no answer: it is to be repeated. */
  readonly endRun: (pipeline: PipelineId, end: RunEnd) => Promise<void>;
  readonly writers: Pick<RunWriters, 'within' | 'begin'>;
  /** Whether the workspace is there. */
  readonly exists: (workspace: WorkspaceId) => boolean;
  readonly onError: (error: unknown, run: RunId) => void;
}

/** Runs that are finished at a time. */
const AT_ONCE = 50;
/** Milliseconds for the warehouse. */
const FORGET_MS = 60_000;
/** Milliseconds until something that has failed is tried again. */
const AGAIN_MS = 10_000;

/** Does what is left to be done for runs that have ended, whichever process has ended them. */
export class EndedRuns {
  /** When what has failed is tried again, by run. */
  private readonly laterMs = new Map<RunId, number>();

  constructor(private readonly deps: EndedRunsDependencies) {}

  async finishAll(): Promise<void> {
    const ended = await this.deps.store.unfinished(AT_ONCE);
    const known = new Set(ended.map(({ run }) => run));
    for (const run of this.laterMs.keys()) if (!known.has(run)) this.laterMs.delete(run);
    const due = ended.filter(({ run }) => (this.laterMs.get(run) ?? 0) <= performance.now());
    await Promise.all(due.map((each) => this.finish(each)));
  }

  private async finish(ended: EndedRun): Promise<void> {
    const { store, onError } = this.deps;
    const { run } = ended;
    try {
      if (!ended.told) {
        await this.tell(ended);
        await store.finish(run, 'told');
      }
      if (!ended.cleaned) {
        await this.clean(ended);
        await store.finish(run, 'cleaned');
      }
    } catch (error) {
      this.laterMs.set(run, performance.now() + AGAIN_MS);
      onError(error, run);
    }
  }

  private async tell({ run, pipeline, workspace, ...ended }: EndedRun): Promise<void> {
    if (!this.deps.exists(workspace)) return;
    const { status, cursor, error, endedAt } = ended;
    await this.deps.endRun(pipeline, { run, status, cursor, error, endedAt });
  }

  /** The epoch is beyond that of every worker: also that of one that has cancelled the run. */
  private async clean({ run, workspace, epoch }: EndedRun): Promise<void> {
    const { writers, exists } = this.deps;
    if (!exists(workspace)) return;
    const signal = AbortSignal.timeout(FORGET_MS);
    await writers.within(workspace, signal, async (warehouse) => {
      const writer = await writers.begin(warehouse, run, epoch + 1);
      await writer.forget(run);
    });
  }
}
