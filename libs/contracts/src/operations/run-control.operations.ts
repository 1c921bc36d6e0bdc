import type { Instant, PipelineId, RunId } from '../ids';
import type { Microtime, RunEndStatus } from '../run-control.facts';
import { command } from './operation';

/** How a run ended, as the executor that has performed it reports it. */
export interface RunEnd {
  readonly run: RunId;
  readonly status: RunEndStatus;
  /** Greatest update time of the records that it received; `null`: none had one. */
  readonly cursor: Microtime | null;
  /** For people; `''` when it succeeded. */
  readonly error: string;
  readonly endedAt: Instant;
}

/** About the runs of a pipeline, where it is decided whether there is one. */
export const RUN_CONTROL_OPERATIONS = {
  /** `id`: the pipeline of the run. A run that has ended stays as it is. */
  CancelRun: command<{ readonly id: PipelineId; readonly run: RunId }>({
    refusals: ['RunNotExist'],
    hasDryRun: false,
  }),
  /**
   * Runs the pipeline again, in its present version, from where run `run` has begun. `cursor`: its starting cursor; `null`:
   * it was a full one.
   */
  ReplayRun: command<
    { readonly id: PipelineId; readonly run: RunId; readonly cursor: Microtime | null },
    { readonly id: string }
  >({
    refusals: [
      'RunNotExist',
      'PipelineNotRunnable',
      'IncrementalNotPossible',
      'PipelineDisabled',
      'PipelineAlreadyRunning',
      'InspectionMode',
      'MaintenanceMode',
    ],
    hasDryRun: false,
  }),
  /** Sent by executors: a run waits since then; `null`: it waits no more. Changes nothing when the run has ended. */
  NoteRunWait: command<{
    readonly id: PipelineId;
    readonly run: RunId;
    readonly since: Instant | null;
  }>({ hasDryRun: false }),
  /** Sent by executors, about a pipeline of any workspace. Changes nothing when the run has ended, so that it can be repeated. */
  EndRun: command<{ readonly id: PipelineId; readonly end: RunEnd }>({ hasDryRun: false }),
};
