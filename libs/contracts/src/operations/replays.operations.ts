import type { Actor } from '../fact';
import type { Instant, JobId, PipelineId } from '../ids';
import type { EventDefinition, JsonString } from '../pipeline.facts';
import type { ReplayMode } from '../runs/replay-mode';
import { always, query } from './operation';
import type { Page } from './page';
import type { CreatePipeline } from './pipelines.operations';

/** The states of a replay; all but `Running` and `Cancelling` are final. `Cancelling`: requests may still be under way. */
export const REPLAY_STATES = ['Running', 'Cancelling', 'Succeeded', 'Cancelled', 'Failed'] as const;

/** One of {@link REPLAY_STATES}. */
export type ReplayState = (typeof REPLAY_STATES)[number];

/**
 * How the results of two versions of a pipeline differ for an event: both give values, but not the same; or only the one
 * before, or the one now, gives values.
 */
export const DIFFERENCE_KINDS = ['Different', 'OnlyBefore', 'OnlyNow'] as const;

/** One of {@link DIFFERENCE_KINDS}. */
export type DifferenceKind = (typeof DIFFERENCE_KINDS)[number];

/**
 * What a replay counts. `events` is the sum of `same`, `different`, `onlyBefore`, `onlyNow`, `neither` and `unknown`; the
 * first four beside it count what is no event of the replay.
 */
export const REPLAY_COUNTS = [
  'duplicates',
  'suppressed',
  'unreadable',
  'expired',
  'events',
  'matched',
  'rejected',
  'same',
  'different',
  'onlyBefore',
  'onlyNow',
  'neither',
  'unknown',
] as const;

/** Numbers of events by {@link REPLAY_COUNTS}. */
export type ReplayCounts = Readonly<Record<(typeof REPLAY_COUNTS)[number], number>>;

/**
 * What a replay that delivers counts. `events` is the sum of the others: each event that was read has ended in one of the
 * first eight ways, is `open`, or was `left` when the replay was cancelled.
 */
export const REPLAY_DELIVERY_COUNTS = [
  'events',
  'delivered',
  'rejected',
  'parked',
  'filtered',
  'suppressed',
  'duplicates',
  'unreadable',
  'expired',
  'open',
  'left',
] as const;

/** Numbers of events by {@link REPLAY_DELIVERY_COUNTS}. */
export type ReplayDeliveryCounts = Readonly<
  Record<(typeof REPLAY_DELIVERY_COUNTS)[number], number>
>;

/** A definition that is tried in place of a version of the pipeline. */
export interface PipelineDraft extends EventDefinition {
  readonly eventType: string;
}

/** What of a replay a client chooses, checked and in canonical form. */
export interface ReplayWanted {
  readonly mode: ReplayMode;
  /** Events that were appended to the log at this time or later. */
  readonly from: Instant;
  /** Events that were appended before this time; a time in the future stands for the present. */
  readonly to: Instant;
  /** Only events that match it; `null`: all. */
  readonly filter: JsonString | null;
  /** Version of the pipeline; `null`: the newest one, or the draft. */
  readonly version: number | null;
  /** `null`: a version of the pipeline is replayed. */
  readonly draft: PipelineDraft | null;
}

/** How far a replay has come. */
export interface ReplayProgress {
  /** Records of its window that were read, of all sources; without those whose deliveries are open. */
  readonly read: number;
  /** Records in its window. */
  readonly total: number;
  /** Records per second: those read lately or, of one that delivers, since its creation; 0 when it does not run. */
  readonly rate: number;
  /** Seconds until it ends at that rate; `null` when that cannot be told. */
  readonly remainingSeconds: number | null;
}

/** A replay as a query answers it. */
export interface ReplayView {
  readonly id: JobId;
  readonly pipeline: PipelineId;
  readonly mode: ReplayMode;
  readonly state: ReplayState;
  /** Why it has failed; else empty. */
  readonly reason: string;
  readonly from: Instant;
  readonly to: Instant;
  readonly filter: JsonString | null;
  /** The version that is replayed; `null`: a draft. */
  readonly version: number | null;
  readonly createdAt: Instant;
  /** The API key that has created it. */
  readonly createdBy: Actor;
  /** `null` while it runs. */
  readonly endedAt: Instant | null;
  readonly progress: ReplayProgress;
  /** `null` in mode `deliver`. */
  readonly summary: ReplayCounts | null;
  /** `null` in mode `shadow`. */
  readonly deliveries: ReplayDeliveryCounts | null;
}

/** What a version of a pipeline makes of an event. */
export interface ReplayedResult {
  /** The values, as JSON; `null`: none were made, or they are too long, or only their digest is on record. */
  readonly values: JsonString | null;
  /** Identifies the values; `null`: none were made. */
  readonly digest: string | null;
  /** Step at which the event was rejected; `null`: it was not. */
  readonly rejectedAt: string | null;
}

/** An event of which the pipeline makes something else now; one of the examples that are kept. */
export interface DifferenceView {
  /** Id of the delivery, as the lists of deliveries have it. */
  readonly delivery: string;
  readonly messageId: string;
  readonly source: string;
  readonly receivedAt: Instant;
  readonly kind: DifferenceKind;
  /** `null`: the pipeline, in the version that the event was routed by, did not match it. */
  readonly before: ReplayedResult | null;
  /** `null`: the pipeline that is replayed does not match it. */
  readonly now: ReplayedResult | null;
}

/** A delivery of a replay that was rejected or parked. */
export interface ReplayFailureView {
  /** Id of the delivery, as the lists of deliveries have it. */
  readonly delivery: string;
  readonly messageId: string;
  readonly source: string;
  readonly receivedAt: Instant;
  readonly state: 'Rejected' | 'Parked';
  /** The step of the pipeline at which it ended. */
  readonly step: string;
  readonly code: string;
  readonly reason: string;
  /** Requests with it. */
  readonly attempts: number;
  readonly endedAt: Instant;
}

/** About the replays of a pipeline that the caller has found to be one of the workspace. */
interface OfPipeline {
  readonly pipeline: PipelineId;
}

/** Replays: a router creates them, and any router answers, from the store that they share. */
export const REPLAY_OPERATIONS = {
  /**
   * Checks and canonicalizes the definitions of a replay, as Create pipeline does. Neither filter nor draft: nothing is
   * checked.
   */
  CheckReplay: query<
    OfPipeline & {
      readonly filter: JsonString | null;
      readonly draft: Omit<CreatePipeline, 'id'> | null;
    },
    Pick<ReplayWanted, 'filter' | 'draft'>
  >({
    scope: 'write',
    refusals: [
      'PipelineNotExist',
      { code: 'ConnectionNotExist', kind: 'refused' },
      { code: 'ConnectorNotExist', kind: 'refused' },
      {
        code: 'EventTypeNotExist',
        kind: 'refused',
        message: 'connection does not have event type',
      },
      'UnsupportedLanguage',
      'SchemaNotAligned',
      'TransformationFailed',
    ],
    isSlow: always,
  }),
  /**
   * Creates a replay with this id, or finds the one that the same command has created before. `command`: identifies
   * repetitions of a request; `null`: there are none.
   */
  CreateReplay: query<
    OfPipeline & {
      readonly id: JobId;
      readonly command: string | null;
      readonly wanted: ReplayWanted;
    },
    { readonly id: JobId }
  >({
    scope: 'write',
    refusals: [
      'PipelineNotExist',
      'PipelineVersionNotExist',
      'PipelineDisabled',
      'EventsExpired',
      'ReplayAlreadyRunning',
    ],
    isSlow: always,
    answeredBy: 'event-router',
  }),
  /** Counts the events of a window without replaying them. `isComplete`: whether the window was read to its end. */
  CountReplayEvents: query<
    OfPipeline & { readonly wanted: ReplayWanted },
    { readonly count: number; readonly isComplete: boolean }
  >({
    scope: 'write',
    refusals: ['PipelineNotExist', 'PipelineVersionNotExist', 'PipelineDisabled', 'EventsExpired'],
    isSlow: always,
    answeredBy: 'event-router',
  }),
  /** Newest first. */
  ListReplays: query<
    Page & OfPipeline,
    { readonly replays: readonly ReplayView[]; readonly cursor: string }
  >({ refusals: ['PipelineNotExist'], isSlow: always, answeredBy: 'event-router' }),
  GetReplay: query<OfPipeline & { readonly id: string }, ReplayView>({
    refusals: ['PipelineNotExist', 'ReplayNotExist'],
    isSlow: always,
    answeredBy: 'event-router',
  }),
  /** Newest first. `withValues`: the caller may see them; the accesses are recorded before they are answered. */
  ListReplayDifferences: query<
    Page &
      OfPipeline & {
        readonly id: string;
        readonly kind: DifferenceKind | null;
        readonly withValues: boolean;
      },
    { readonly differences: readonly DifferenceView[]; readonly cursor: string }
  >({
    refusals: ['PipelineNotExist', 'ReplayNotExist'],
    isSlow: always,
    carriesRecords: true,
    answeredBy: 'event-router',
  }),
  /** Newest first. `withValues`: as in ListReplayDifferences. */
  ListReplayFailures: query<
    Page & OfPipeline & { readonly id: string; readonly withValues: boolean },
    { readonly failures: readonly ReplayFailureView[]; readonly cursor: string }
  >({
    refusals: ['PipelineNotExist', 'ReplayNotExist'],
    isSlow: always,
    carriesRecords: true,
    answeredBy: 'event-router',
  }),
  /** Ends a running replay; has no effect on one that has ended. */
  CancelReplay: query<OfPipeline & { readonly id: string }, Record<never, never>>({
    scope: 'write',
    refusals: ['PipelineNotExist', 'ReplayNotExist'],
    isSlow: always,
    answeredBy: 'event-router',
  }),
};
