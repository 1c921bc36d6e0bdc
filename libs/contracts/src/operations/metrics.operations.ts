import type { ConnectionId, Instant, PipelineId } from '../ids';
import { END_STATES } from './deliveries.operations';
import { always, query } from './operation';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The steps of a pipeline, in the order in which an event passes them. */
export const PIPELINE_STEPS = [
  'Receive',
  'InputValidation',
  'Filter',
  'Transformation',
  'OutputValidation',
  'Finalize',
] as const;

/** One of {@link PIPELINE_STEPS}. */
export type PipelineStep = (typeof PIPELINE_STEPS)[number];

/** Length of the steps of time that metrics are asked for, and how long counts are kept that finely; `null`: for ever. */
export const STEP_SIZES = {
  minute: { ms: MINUTE_MS, keptMs: 2 * DAY_MS },
  hour: { ms: HOUR_MS, keptMs: 60 * DAY_MS },
  day: { ms: DAY_MS, keptMs: null },
} as const;

/** One of {@link STEP_SIZES}. */
export type StepSize = keyof typeof STEP_SIZES;

/** Most steps of time in one answer: a day in minutes, 60 days in hours. */
export const MAX_METRIC_POINTS = 1_440;

/** A period of whole steps of time, in UTC. */
export interface MetricsPeriod {
  readonly from: Instant;
  /** The end, which does not belong to it. */
  readonly to: Instant;
  readonly stepSize: StepSize;
}

/** Milliseconds from the receipt of an event to its delivery, which are wrong by at most 5 %. */
export interface LatencyView {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** Number of events that ended so. */
export interface EndingCount {
  readonly state: (typeof END_STATES)[number];
  /** The reason; empty when the state needs none. */
  readonly code: string;
  readonly count: number;
}

/** What has happened to events of one or several pipelines in a time. */
export interface PipelineNumbers {
  /** Events that routers have read; an event counts for each of the pipelines. */
  readonly accepted: number;
  /** Deliveries that were opened: the filter has matched. */
  readonly opened: number;
  /**
   * By {@link PIPELINE_STEPS}. `Receive` counts an event when a router has read it, the others when it has ended: then it counts in
   * `failed` of the step that it did not pass and in `passed` of those before.
   */
  readonly passed: readonly number[];
  readonly failed: readonly number[];
  /** By state, then by code; without numbers of 0. */
  readonly endings: readonly EndingCount[];
  /** Requests beyond the first, of the deliveries that have ended. */
  readonly retries: number;
  /** Of those that were delivered; `null`: none was. */
  readonly latency: LatencyView | null;
}

/** {@link PipelineNumbers} of a step of time, which begins at `at`. */
export interface PipelinePoint extends PipelineNumbers {
  readonly at: Instant;
}

/** The metrics of one pipeline, or the sum of several. */
export interface PipelineMetrics {
  /** Of the whole period. */
  readonly total: PipelineNumbers;
  /** In order; steps of time in which nothing has happened are left out. */
  readonly points: readonly PipelinePoint[];
  /** Seconds for which the oldest event has waited that is not delivered yet, now; 0: none waits. */
  readonly lag: number;
}

/** Events of a source in a time; `accepted` is all of them. */
export interface SourceNumbers {
  readonly accepted: number;
  /** Repeated: with the message id of an earlier event. */
  readonly duplicates: number;
  /** Repeated with another body. */
  readonly differentBodies: number;
  /** Of suppressed users, and not repeated. */
  readonly suppressed: number;
}

/** {@link SourceNumbers} of a step of time, which begins at `at`. */
export interface SourcePoint extends SourceNumbers {
  readonly at: Instant;
}

/** The metrics of a source. */
export interface SourceMetrics {
  /** Of the whole period. */
  readonly total: SourceNumbers;
  /** In order; steps of time without events are left out. */
  readonly points: readonly SourcePoint[];
}

/** What has happened over time; the routers answer from the store that they share. */
export const METRICS_OPERATIONS = {
  /** Asked about a pipeline that the caller has found to be one of the workspace. @param connection its destination. */
  GetPipelineMetrics: query<
    MetricsPeriod & { readonly pipeline: PipelineId; readonly connection: ConnectionId },
    PipelineMetrics
  >({ refusals: ['PipelineNotExist'], isSlow: always, answeredBy: 'event-router' }),
  /** `pipelines`: those of a destination; `null`: it is a source. Both are the workspace's, as the caller has found. */
  GetConnectionMetrics: query<
    MetricsPeriod & {
      readonly connection: ConnectionId;
      readonly pipelines: readonly PipelineId[] | null;
    },
    PipelineMetrics | SourceMetrics
  >({ refusals: ['ConnectionNotExist'], isSlow: always, answeredBy: 'event-router' }),
};
