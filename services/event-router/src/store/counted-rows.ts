import type { ConnectionId, PipelineId } from '@penstock/contracts';
import type { BaseKind } from './changes';

/** Number of events of a source by kind, counted in a minute, or since it and within the hour or day that it begins. */
export interface SourceCount {
  readonly source: ConnectionId;
  readonly kind: BaseKind;
  /** Minutes since 1970. */
  readonly minute: number;
  readonly count: number;
}

/** Times of deliveries of a pipeline, counted in a minute, or since it and within the hour or day that it begins. */
export interface TimesRow {
  readonly pipeline: PipelineId;
  /** Minutes since 1970. */
  readonly minute: number;
  /** Attempts beyond the first. */
  readonly retries: number;
  /** Buckets of latencies, ascending, each with its count. */
  readonly latencies: readonly (readonly [bucket: number, count: number])[];
}
