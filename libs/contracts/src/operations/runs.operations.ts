import type { Actor } from '../fact';
import type { ConnectionId, Instant, PipelineId, RunId, WorkspaceId } from '../ids';
import type { JsonString } from '../pipeline.facts';
import type { Microtime, RunEndStatus, RunTrigger } from '../run-control.facts';
import type { ReplayMode } from '../runs/replay-mode';
import type { RunErrorGroup, RunFact } from '../runs/run.facts';
import type { RunStep, StepCounts } from '../runs/run-steps';
import { always, type Nothing, query } from './operation';
import type { Page } from './page';

/** The states of a run; all but the first two are final. */
export const RUN_STATUSES = ['Queued', 'Running', 'Succeeded', 'Failed', 'Cancelled'] as const;

/** One of {@link RUN_STATUSES}. */
export type RunStatus = (typeof RUN_STATUSES)[number];

/** How far a run is that has not ended: what its settled batches have counted. */
export interface RunProgress {
  readonly passed: StepCounts;
  readonly failed: StepCounts;
  /** Records a second that were received over the last ten seconds; of a replay of events, see `ReplayProgress`. */
  readonly rate: number;
  /** Seconds until it ends at that rate; `null` when that cannot be told. */
  readonly eta: number | null;
  /** Records of the source, or in the window of a replay of events; `null` when the source does not say. */
  readonly total: number | null;
}

/** A replay of events as routers tell executors of it, which show it as a run: whole, as it is now. */
export interface ReplayedRun {
  /** The id of the replay. */
  readonly run: RunId;
  readonly workspace: WorkspaceId;
  readonly pipeline: PipelineId;
  /** As they were when it was created; for one that an earlier version of the router has created, what is still known. */
  readonly connection: ConnectionId;
  readonly pipelineName: string;
  /** `null`: a draft is replayed. */
  readonly pipelineVersion: number | null;
  readonly mode: ReplayMode;
  /** The time in which its events were accepted. */
  readonly from: Instant;
  readonly to: Instant;
  /** The API key that has created it. */
  readonly actor: Actor;
  readonly requestedAt: Instant;
  /** Higher each time that executors are told of it: what has a lower one is outdated. */
  readonly sequence: number;
  /** The API key that has cancelled it; `null`: none has. */
  readonly cancelledBy: Actor | null;
  readonly progress: RunProgress;
  readonly warnings: readonly string[];
  /** `null` while it runs. */
  readonly ending: {
    readonly status: RunEndStatus;
    readonly at: Instant;
    /** For people; `''` when it succeeded. */
    readonly error: string;
  } | null;
  /** Why events have failed so far, with the sum of their numbers. */
  readonly errors: readonly RunErrorGroup[];
}

/** Why a live run does nothing at the moment. */
export interface RunWait {
  readonly since: Instant;
  readonly reason: string;
  readonly nextAttemptAt: Instant;
}

/** A run as a query answers it. */
export interface RunView {
  readonly id: RunId;
  readonly pipeline: PipelineId;
  /** As it was when the run was requested. */
  readonly pipelineName: string;
  readonly connection: ConnectionId;
  /** `null`: a replay of events through a draft. */
  readonly pipelineVersion: number | null;
  readonly trigger: RunTrigger;
  /** Of a replay of events; `null` for any other run. */
  readonly replayMode: ReplayMode | null;
  readonly status: RunStatus;
  /** `null` for an export, and for a replay of events. */
  readonly incremental: boolean | null;
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
  /** `null`: it waits for nothing. */
  readonly waiting: RunWait | null;
  readonly purged: number;
  readonly warnings: readonly string[];
}

/** What a function has thrown for one record. */
export interface SampleText {
  /** Id of the record. */
  readonly sample: string;
  readonly text: string;
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
  /** Where the source has some of the records, such as `line 5`; absent in answers of earlier releases. */
  readonly places?: readonly string[];
  /** What to do about it; absent in answers of earlier releases, empty for errors of replays of events. */
  readonly advice?: string;
  /** What a function has thrown for samples; absent in answers of earlier releases, empty for callers who see no values. */
  readonly texts?: readonly SampleText[];
}

/** A fact in the history of a run. */
export interface RunFactView {
  /** `RunRequested` stands for the fact `RunAccepted`, by which the executor repeats the request. */
  readonly type: Exclude<RunFact['type'], 'RunAccepted'> | 'RunRequested';
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

/** Runs: any executor answers, from the store that they share; it knows replays of events as routers have told of them. */
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
    Page & Seen & { readonly id: string; readonly withValues?: boolean },
    { readonly errors: readonly RunErrorView[]; readonly cursor: string }
  >(OF_A_RUN),
  /** In their order. */
  ListRunFacts: query<
    Page & Seen & { readonly id: string },
    { readonly facts: readonly RunFactView[]; readonly cursor: string }
  >(OF_A_RUN),
  /**
   * Sent by routers, about a replay of any workspace, until it is answered. What is known already changes nothing, so that it
   * can be repeated.
   */
  RecordReplay: query<{ readonly replay: ReplayedRun }, Nothing>({
    scope: 'write',
    isSlow: always,
    answeredBy: 'run-executor',
  }),
};
