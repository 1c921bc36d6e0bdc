import {
  type ImportPipelineState,
  type Instant,
  isExport,
  type PipelineId,
  type ProfileSchema,
  type RunCancel,
  type RunId,
  type RunPipelineState,
  type RunStep,
} from '@penstock/contracts';
import { Away } from '../engine/away';
import { LeaseLost } from '../engine/lease-lost';
import { Outdated } from '../engine/outdated';
import { Patience } from '../engine/patience';
import type { RecordSource } from '../engine/record-source';
import { type RunCompletion, RunPerformance } from '../engine/run-performance';
import { WholeRunError } from '../engine/whole-run-error';
import { compileImport } from '../pipelines/compiled-import';
import type { ClaimedRun, RunEnding, RunStore } from '../store/run-store';
import { type ExportWorkDependencies, performExport, sealFor } from './export-work';
import { Lease } from './lease';
import { runErrorText } from './run-error-text';
import type { RunWriters } from './run-writers';
import { WaitingReports } from './waiting-reports';

/** What a run is performed with. */
export interface RunWorkDependencies extends ExportWorkDependencies {
  readonly store: RunStore;
  readonly writers: RunWriters;
  readonly sourceOf: (pipeline: ImportPipelineState) => RecordSource;
  /** A version of a pipeline that the store does not hold. Rejects when it cannot be asked for at the moment. */
  readonly definitionOf: (
    pipeline: PipelineId,
    version: number,
  ) => Promise<RunPipelineState | undefined>;
  /** What people are told of a cancelled run. */
  readonly cancelText: (run: ClaimedRun, cancel: RunCancel) => string;
  /** Tells the pipeline service since when a run waits; `null`: it waits no more. */
  readonly noteRunWait: (pipeline: PipelineId, run: RunId, since: Instant | null) => Promise<void>;
  /** Called when a run has ended here. */
  readonly onEnded: () => void;
  /** Called with what a run waits for, and with failures of our own. */
  readonly onError: (error: unknown, run: RunId) => void;
}

/** The cancel of the run was requested. */
class Cancelled extends Error {
  constructor(readonly cancel: RunCancel) {
    super('the run is cancelled');
  }
}

/** The process stops. */
class Stopping extends Error {}

const NOT_ENDED = { purged: 0, cursor: null, warnings: [] } as const;

const INTERNAL_ERROR = 'an internal error has occurred';

/** One claimed run, as this process performs it. */
export class RunWork {
  private readonly control = new AbortController();
  private readonly ledgerControl = new AbortController();
  private readonly lease: Lease;
  private readonly waiting: WaitingReports;
  /** Whether the warehouse is written into: exports to databases and files do not. */
  private mayWrite: boolean;
  private pipeline: RunPipelineState | null;
  /** Resolves when nothing is done for the run here any more. Never rejects. */
  readonly done: Promise<void>;

  /** @param heldFromMs of `performance.now()`, before the claim was asked for. */
  constructor(
    readonly claimed: ClaimedRun,
    private readonly deps: RunWorkDependencies,
    heldFromMs: number,
  ) {
    const { run, epoch } = claimed;
    const { store, options, onError } = deps;
    this.mayWrite = claimed.incremental !== null;
    this.pipeline = claimed.definition;
    this.waiting = new WaitingReports({
      ...{ run, epoch, store },
      note: (since) => deps.noteRunWait(claimed.pipeline, run, since),
      onError: (error) => {
        onError(error, run);
      },
    });
    this.lease = new Lease(
      {
        ...options,
        renew: () => store.renew(run, epoch),
        onLost: (error) => {
          this.control.abort(error);
          this.ledgerControl.abort(error);
        },
        onError: (error) => {
          onError(error, run);
        },
      },
      heldFromMs,
    );
    this.done = this.work()
      .catch((error: unknown) => {
        if (!(error instanceof LeaseLost)) onError(error, run);
      })
      .finally(() => {
        this.lease.stop();
        this.control.abort(new Stopping());
      });
  }

  get key(): RunId {
    return this.claimed.run;
  }

  /** Ends the run as cancelled. */
  cancel(cancel: RunCancel): void {
    this.control.abort(new Cancelled(cancel));
  }

  /** Drops the batch in progress and gives the run back. */
  stop(): void {
    this.control.abort(new Stopping());
  }

  private async work(): Promise<void> {
    const performing = this.perform().catch((error: unknown) => this.endingOf(error));
    const { signal } = this.control;
    const aborted = new Promise<undefined>((resolve) => {
      signal.addEventListener('abort', () => {
        // What does not end by itself soon is left behind: the warehouse refuses it.
        setTimeout(() => {
          resolve(undefined);
        }, this.deps.options.fenceMs).unref();
      });
    });
    const ending = (await Promise.race([performing, aborted])) ?? this.endingOf(signal.reason);
    if (ending === 'released') return this.release();
    if (ending === 'lost') return;
    if (ending.status === 'Cancelled' && this.mayWrite) await this.fence();
    await this.end(ending);
    this.deps.onEnded();
  }

  private async perform(): Promise<RunEnding> {
    const { signal } = this.control;
    const patience = this.patience(signal);
    const pipeline = await this.definition(patience);
    this.pipeline = pipeline;
    this.mayWrite ||= pipeline.exports?.destination.kind === 'application';
    const profiles = this.deps.writers.profilesOf(this.claimed.workspace);
    const completion = isExport(pipeline)
      ? await this.prepared(profiles, patience, 'InputValidation', async () =>
          performExport(
            {
              ...{ claimed: this.claimed, pipeline, profiles, signal },
              patience: () => this.patience(signal),
            },
            this.deps,
          ),
        )
      : await this.performImport(pipeline, profiles, patience);
    return { ...completion, status: 'Succeeded', step: null, code: '', error: '' };
  }

  private async performImport(
    pipeline: ImportPipelineState,
    profiles: ProfileSchema,
    patience: Patience,
  ): Promise<RunCompletion> {
    const { claimed, deps } = this;
    const { signal } = this.control;
    const { store, writers, functions, sourceOf, options } = deps;
    const compiled = compileImport(pipeline, profiles, functions);
    const limits = { size: options.batchRecords, stallMs: options.stallMs };
    const ledger = store.ledger(claimed.run, claimed.epoch, sealFor(claimed, deps));
    const warehouse = await this.prepared(profiles, patience, 'OutputValidation', () =>
      patience.insist('Finalize', async () => writers.open(claimed.workspace, signal, profiles)),
    );
    const work = async (): Promise<RunCompletion> => {
      const writer = await patience.insist('Finalize', () =>
        writers.begin(warehouse, claimed.run, claimed.epoch),
      );
      const source = sourceOf(pipeline);
      const parts = { ...compiled, source, writer, ledger, limits, patience, nowMs: Date.now };
      return new RunPerformance(claimed, parts, signal).perform();
    };
    try {
      return await this.prepared(profiles, patience, 'OutputValidation', work);
    } finally {
      await warehouse.close().catch(() => undefined);
    }
  }

  /**
   * Does work that was prepared by a schema of profiles. When the warehouse has another one, waits until that is known here.
   *
   * @throws Outdated then; what the work throws.
   */
  private async prepared<T>(
    { version }: ProfileSchema,
    patience: Patience,
    step: RunStep,
    work: () => Promise<T>,
  ): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Outdated)) throw error;
      await patience.insist(step, () =>
        this.deps.writers.profilesOf(this.claimed.workspace).version === version
          ? Promise.reject(new Away('the schema of profiles is being changed'))
          : Promise.resolve(),
      );
      throw error;
    }
  }

  private async definition(patience: Patience): Promise<RunPipelineState> {
    const { run, pipeline, pipelineVersion, definition } = this.claimed;
    const { store, definitionOf } = this.deps;
    if (definition !== null) return definition;
    return patience.insist('Receive', async () => {
      const found = await definitionOf(pipeline, pipelineVersion).catch((error: unknown) => {
        throw new Away('the pipeline cannot be read', undefined, { cause: error });
      });
      if (found === undefined)
        throw new WholeRunError('Receive', 'PipelineNotExist', 'pipeline does not exist');
      await store.define(run, found);
      return found;
    });
  }

  private endingOf(reason: unknown): RunEnding | 'released' | 'lost' {
    const { signal } = this.control;
    const cause: unknown = signal.aborted ? signal.reason : reason;
    if (cause instanceof LeaseLost) return 'lost';
    // Another claim prepares the run anew, and goes on with what is not settled.
    if (cause instanceof Stopping || cause instanceof Outdated) return 'released';
    if (cause instanceof Cancelled) {
      const { cancel } = cause;
      const text = this.deps.cancelText(this.claimed, cancel);
      const ending = { ...NOT_ENDED, status: 'Cancelled', step: null, error: text } as const;
      return { ...ending, code: cancel.reason, cancel };
    }
    this.deps.onError(cause, this.claimed.run);
    if (cause instanceof WholeRunError) {
      const { step, code } = cause;
      const error = runErrorText(this.pipeline, cause);
      return { ...NOT_ENDED, status: 'Failed', step, code, error };
    }
    return {
      ...{ ...NOT_ENDED, status: 'Failed', step: 'Finalize', code: 'InternalError' },
      error: INTERNAL_ERROR,
    };
  }

  /** After this, no write of the run that may still be under way is accepted. */
  private async fence(): Promise<void> {
    const { writers, options, onError } = this.deps;
    const { run, workspace, epoch } = this.claimed;
    const signal = AbortSignal.timeout(options.fenceMs);
    await writers
      .within(workspace, signal, (warehouse) => writers.begin(warehouse, run, epoch + 1))
      .catch((error: unknown) => {
        onError(error, run);
      });
  }

  private end(ending: RunEnding): Promise<void> {
    const { run, epoch } = this.claimed;
    return this.patience(this.ledgerControl.signal).insist('Finalize', () =>
      this.deps.store.end(run, epoch, ending),
    );
  }

  private release(): Promise<void> {
    const { run, epoch } = this.claimed;
    return this.deps.store.release(run, epoch);
  }

  private patience(signal: AbortSignal): Patience {
    const { options, onError } = this.deps;
    const limits = {
      ...options,
      limitMs: options.patienceMs,
      functionLimitMs: options.functionPatienceMs,
    };
    return new Patience(
      limits,
      signal,
      (step, error, attempts) => {
        onError(error, this.claimed.run);
        const cause = new WholeRunError(step, 'Unavailable', error.message);
        this.waiting.failed(step, runErrorText(this.pipeline, cause), attempts);
      },
      () => {
        this.waiting.ended();
      },
    );
  }
}
