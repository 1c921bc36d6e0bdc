import type { Actor } from '../fact';
import type { ConnectionId, Instant, PipelineId, RunId } from '../ids';
import type { JsonString } from '../pipeline.facts';
import type { Microtime, RunTrigger } from '../run-control.facts';
import type { RunFact } from '../runs/run.facts';
import type { RunStep, StepCounts } from '../runs/run-steps';
import { always, query } from './operation';
import type { Page } from './page';

/** The states of a run; all but the first two are final. */
export const RUN_STATUSES = ['Queued', 'Running', 'Succeeded', 'Failed', 'Cancelled'] as const;

/** One of {@link RUN_STATUSES}. */
export type RunStatus = (typeof RUN_STATUSES)[number];

/** How far a run is that has not ended: what its settled batches have counted. */
export interface RunProgress {
  readonly passed: StepCounts;
  readonly failed: StepCounts;
  /** Records a second that were received over the last ten seconds. */
  readonly rate: number;
  /** Seconds until it ends at that rate; `null` when that cannot be told. */
  readonly eta: number | null;
  /** Records of the source; `null` when it does not say. */
  readonly total: number | null;
}

/** A run as a query answers it. */
export interface RunView {
  readonly id: RunId;
  readonly pipeline: PipelineId;
  /** As it was when the run was requested. */
  readonly pipelineName: string;
  readonly connection: ConnectionId;
  readonly pipelineVersion: number;
  readonly trigger: RunTrigger;
  readonly status: RunStatus;
  readonly incremental: boolean;
  /** Only records with this update time or a later one are read; `null`: all. */
  readonly startingCursor: Microtime | null;
  /** When it was requested. */
  readonly startTime: Instant;
  /** `null` until it has ended. */
  readonly endTime: Instant | null;
  /** Of an ended run: all are 0 before. */
  readonly passed: StepCounts;
  readonly failed: StepCounts;
  /** `''` unless it failed or was cancelled. */
  readonly error: string;
  /** How often a worker has taken it up. */
  readonly attempt: number;
  /** `null` when it has ended. */
  readonly progress: RunProgress | null;
  readonly purged: number;
  readonly warnings: readonly string[];
}

/** Records that failed at one step for one reason. */
export interface RunErrorView {
  readonly step: RunStep;
  readonly code: string;
  readonly message: string;
  readonly count: number;
  readonly firstAt: Instant;
  readonly lastAt: Instant;
  /** Ids of some of the records. */
  readonly samples: readonly string[];
}

/** A fact in the history of a run. */
export interface RunFactView {
  readonly type: RunFact['type'];
  readonly time: Instant;
  readonly actor: Actor;
  /** A JSON object. */
  readonly data: JsonString;
}

/**
 * The position of the configuration that the asking process has seen: the answer knows of every run that was requested
 * up to it.
 */
interface Seen {
  readonly seen: number;
}

const OF_A_RUN = { refusals: ['RunNotExist'], isSlow: always, answeredBy: 'run-executor' } as const;

/** Runs: any executor answers, from the store that they share. */
export const RUN_OPERATIONS = {
  /** Newest first; also those of deleted pipelines. */
  ListRuns: query<
    Page &
      Seen & {
        readonly pipeline: string | null;
        readonly status: RunStatus | null;
        /** By the time at which they were requested. */
        readonly from: Instant | null;
        readonly to: Instant | null;
      },
    { readonly runs: readonly RunView[]; readonly cursor: string }
  >({ isSlow: always, answeredBy: 'run-executor' }),
  GetRun: query<Seen & { readonly id: string }, RunView>(OF_A_RUN),
  /** Ordered by step, the most frequent first. */
  ListRunErrors: query<
    Page & Seen & { readonly id: string },
    { readonly errors: readonly RunErrorView[]; readonly cursor: string }
  >(OF_A_RUN),
  /** In their order. */
  ListRunFacts: query<
    Page & Seen & { readonly id: string },
    { readonly facts: readonly RunFactView[]; readonly cursor: string }
  >(OF_A_RUN),
};
