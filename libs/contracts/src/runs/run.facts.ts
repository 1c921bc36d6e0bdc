import type { ConnectionId, Instant, PipelineId, RunId, WorkspaceId } from '../ids';
import type { Microtime, RequestedRun, RunCancel, RunEndStatus } from '../run-control.facts';
import type { ReplayMode } from './replay-mode';
import type { RunStep, StepCounts } from './run-steps';

/** Where the reading of a run goes on. Its members depend on the source. */
export type RunPosition =
  | { readonly kind: 'page'; readonly cursor: string; readonly offset: number }
  | {
      readonly kind: 'record';
      /** Number of records that were read of the file. */
      readonly record: number;
      readonly size: number | null;
      readonly modifiedAt: Instant | null;
      readonly tag: string | null;
    }
  /** Profiles are read in the order of their ids: of the last one that was handled. */
  | { readonly kind: 'profile'; readonly id: string }
  /** Before profiles are exported to an application, their matching values are compared: of the last one whose value was. */
  | { readonly kind: 'values'; readonly id: string }
  /** A file is written as a whole: until it is complete, it is begun anew. */
  | { readonly kind: 'file'; readonly isComplete: boolean }
  /** The source is read again from its start. */
  | { readonly kind: 'start' }
  /** Everything was read: what has not been seen is removed, and nothing is read again. */
  | { readonly kind: 'end' };

/** Records that failed at one step for one reason, in one batch. */
export interface RunErrorGroup {
  readonly step: RunStep;
  readonly code: string;
  /** Without values. */
  readonly message: string;
  readonly count: number;
  /** Ids of some of the records, at most 10; in facts none, but for those of versions that knew no erasure. */
  readonly samples: readonly string[];
}

/** The numbers of a run at its end. */
export interface RunTotals {
  readonly passed: StepCounts;
  readonly failed: StepCounts;
  /** Identities removed at the end of a full import. */
  readonly purged: number;
}

/**
 * Everything that happens to a run while it is performed, in order; to an import under the epoch of the executor that has
 * claimed it.
 * Kept as long as the run: a member may be added as optional, none removed or renamed.
 */
export type RunFact =
  | {
      readonly type: 'RunAccepted';
      readonly data: RequestedRun & {
        readonly pipeline: PipelineId;
        readonly workspace: WorkspaceId;
        readonly connection: ConnectionId;
        /** As it was then, so that a run stays readable after a deletion. */
        readonly pipelineName: string;
      };
    }
  /** A replay of events, which routers perform: its only facts are this one, `RunCancelRequested` and how it ended. */
  | {
      readonly type: 'ReplayAccepted';
      readonly data: {
        readonly run: RunId;
        readonly trigger: 'Replay';
        readonly mode: ReplayMode;
        /** `null`: a draft is replayed. */
        readonly pipelineVersion: number | null;
        /** The time in which the events were accepted. */
        readonly from: Instant;
        readonly to: Instant;
        readonly requestedAt: Instant;
        readonly actor: string;
        readonly pipeline: PipelineId;
        readonly workspace: WorkspaceId;
        readonly connection: ConnectionId;
        readonly pipelineName: string;
      };
    }
  | {
      readonly type: 'RunClaimed';
      readonly data: { readonly worker: string; readonly epoch: number };
    }
  | {
      readonly type: 'BatchSettled';
      readonly data: {
        readonly epoch: number;
        /** Higher with each batch of the run; numbers of batches that were begun and never settled are left out. */
        readonly sequence: number;
        readonly position: RunPosition;
        /** What this batch adds. */
        readonly passed: StepCounts;
        readonly failed: StepCounts;
        /** Records of an id that had come before in this reading; counted in neither. */
        readonly duplicates: number;
        /** Records whose id cannot be read; counted as failed at Receive. */
        readonly withoutId: number;
        /** Greatest update time of the run so far. */
        readonly cursor: Microtime | null;
        readonly errors: readonly RunErrorGroup[];
        /** What the source has left out, with the first batch. */
        readonly warnings: readonly string[];
        /** Records that the source has in all; `null` or absent: it does not say. */
        readonly total?: number | null;
        /** Part of the source that was read, from 0 to 1; `null` or absent: it cannot be told. */
        readonly share?: number | null;
      };
    }
  | {
      readonly type: 'ReadingRestarted';
      readonly data: { readonly epoch: number; readonly reason: string };
    }
  /** It has begun to wait for something that cannot be reached; the reason is without values. */
  | {
      readonly type: 'RunWaiting';
      readonly data: { readonly epoch: number; readonly step: RunStep; readonly reason: string };
    }
  | { readonly type: 'RunCancelRequested'; readonly data: Omit<RunCancel, 'actor'> }
  | {
      readonly type: 'RunSucceeded' | 'RunFailed' | 'RunCancelled';
      readonly data: RunTotals & {
        readonly status: RunEndStatus;
        readonly cursor: Microtime | null;
        /** `null` unless it failed. */
        readonly step: RunStep | null;
        /** `''` unless it failed or was cancelled. */
        readonly code: string;
        readonly error: string;
        /** All of the run. */
        readonly warnings: readonly string[];
        /** Absent in facts of earlier releases. */
        readonly endedAt?: Instant;
      };
    };

/** A fact of a run as it stands on the topic `runs`. */
export interface RecordedRunFact {
  readonly run: RunId;
  readonly pipeline: PipelineId;
  readonly workspace: WorkspaceId;
  /** From 1 within the run, gapless. */
  readonly number: number;
  readonly time: Instant;
  /** Id of an API key, `scheduler` or `system`. */
  readonly actor: string;
  readonly fact: RunFact;
}
