import type { Instant, PipelineId, RunId, WorkspaceId } from './ids';
import type { SchedulePeriod } from './schedule-period';
import type { WarehouseMode } from './warehouse.facts';

/** What has asked for a run. */
export type RunTrigger = 'API' | 'Schedule' | 'Replay';

/** How a run ended. */
export type RunEndStatus = 'Succeeded' | 'Failed' | 'Cancelled';

/**
 * A time with six digits of its seconds, e.g. `2026-03-01T09:30:00.123456Z`: digits below a microsecond are cut off,
 * never rounded. Sorts as a text.
 */
export type Microtime = string;

/** A run as it was requested. */
export interface RequestedRun {
  readonly run: RunId;
  readonly trigger: RunTrigger;
  /** Version of the pipeline that the run uses from start to end. */
  readonly pipelineVersion: number;
  /** Whether it reads only what was changed since `cursor`; `null`: it is an export. */
  readonly incremental: boolean | null;
  /** Where it begins: only records with this update time or a later one are read; `null`: all. */
  readonly cursor: Microtime | null;
  readonly requestedAt: Instant;
  /** Who asked for it: id of an API key, or `scheduler`. */
  readonly actor: string;
  /** The slot of the schedule; `null` unless the schedule has asked for it. */
  readonly slot: Instant | null;
}

/** Why a run is cancelled. */
export type CancelReason =
  | 'Requested'
  | 'OrganizationDisabled'
  | 'PipelineDeleted'
  | 'WarehouseModeChanged';

/** The request that a run is cancelled. */
export interface RunCancel {
  readonly reason: CancelReason;
  /** Id of the API key with which it came. Absent in what earlier releases have recorded: `system`. */
  readonly actor?: string;
  /** That to which the mode of the warehouse is changed. Absent for other reasons, and in what earlier releases have recorded. */
  readonly mode?: WarehouseMode;
}

/** Why a slot of a schedule has no run. */
export type SlotSkipReason = 'disabled' | 'running' | 'mode' | 'organization';

/** When a pipeline runs by itself. */
export interface Schedule {
  readonly period: SchedulePeriod;
  /** Minutes after midnight, from 0 to the period − 1: it is due in the minutes of the day that give this rest. */
  readonly start: number;
}

/**
 * Everything that can happen to the runs of a pipeline where it is decided: what a run does is on the topic `runs`. Kept
 * for ever: a member may be added as optional, none removed or renamed.
 */
export type RunControlFact =
  | {
      readonly type: 'ScheduleSet';
      readonly data: {
        readonly id: PipelineId;
        readonly workspace: WorkspaceId;
        /** `null` ends the schedule. */
        readonly schedule: Schedule | null;
        readonly setAt: Instant;
      };
    }
  | {
      readonly type: 'RunRequested';
      readonly data: RequestedRun & { readonly id: PipelineId; readonly workspace: WorkspaceId };
    }
  | {
      readonly type: 'SlotSkipped';
      readonly data: { readonly slot: Instant; readonly reason: SlotSkipReason };
    }
  | {
      readonly type: 'RunCancelRequested';
      readonly data: RunCancel & { readonly run: RunId };
    }
  /** The run has waited for a while for something that cannot be reached; `since` is `null`: it waits no more. */
  | {
      readonly type: 'RunWaitNoted';
      readonly data: { readonly run: RunId; readonly since: Instant | null };
    }
  | {
      readonly type: 'RunEnded';
      readonly data: {
        readonly run: RunId;
        readonly status: RunEndStatus;
        /** Greatest update time of the records that it received; moves the cursor of a run that succeeded. */
        readonly cursor: Microtime | null;
        /** For people; `''` unless it failed. */
        readonly error: string;
        readonly endedAt: Instant;
      };
    }
  /** An update of the pipeline has changed what it reads or writes: the next run is a full one. */
  | { readonly type: 'CursorCleared'; readonly data: Record<never, never> };
