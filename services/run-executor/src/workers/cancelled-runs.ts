import type { RunCancel, RunId, WorkspaceId } from '@penstock/contracts';
import type { CancelledRun, RunStore } from '../store/run-store';
import type { ExecutorOptions } from './executor-options';
import type { RunWriters } from './run-writers';

/** What ending cancelled runs depends on. */
export interface CancelledRunsDependencies {
  readonly store: Pick<RunStore, 'takeCancelled' | 'end'>;
  readonly writers: Pick<RunWriters, 'within' | 'begin'>;
  readonly cancelText: (workspace: WorkspaceId, cancel: RunCancel) => string;
  /** Called when a run has ended here. */
  readonly onEnded: () => void;
  readonly options: Pick<ExecutorOptions, 'cancelGraceMs' | 'fenceMs'>;
  readonly onError: (error: unknown, run: RunId) => void;
}

/** Ends runs whose cancel was requested and that no worker ends: they wait in the queue, or their worker is gone. */
export class CancelledRuns {
  constructor(private readonly deps: CancelledRunsDependencies) {}

  async endAll(): Promise<void> {
    const { store, options, onError } = this.deps;
    const taken = await store.takeCancelled(options.cancelGraceMs);
    const ends = taken.map((each) =>
      this.end(each).catch((error: unknown) => {
        onError(error, each.run);
      }),
    );
    await Promise.all(ends);
  }

  private async end(cancelled: CancelledRun): Promise<void> {
    const { store, cancelText, onEnded } = this.deps;
    const { run, workspace, cancel, epoch, mayWrite } = cancelled;
    if (mayWrite) await this.fence(cancelled);
    await store.end(run, epoch, {
      ...{
        status: 'Cancelled',
        cursor: null,
        step: null,
        code: cancel.reason,
        purged: 0,
        warnings: [],
      },
      error: cancelText(workspace, cancel),
    });
    onEnded();
  }

  /** A warehouse that does not answer in time cannot be written to by the lost worker either. */
  private async fence({ run, workspace, epoch }: CancelledRun): Promise<void> {
    const { writers, options, onError } = this.deps;
    const signal = AbortSignal.timeout(options.fenceMs);
    await writers
      .within(workspace, signal, (warehouse) => writers.begin(warehouse, run, epoch))
      .catch((error: unknown) => {
        onError(error, run);
      });
  }
}
