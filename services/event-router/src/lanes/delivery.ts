import type { RecordValue } from '@penstock/schema';
import type { RecordFailure } from '@penstock/transformations';
import type { CompiledPipeline } from '../route/compiled-pipeline';
import type { Partition } from '../partitions/partition';
import type { Ticket } from '../partitions/ticket';

/** One event on its way to one destination through one pipeline. */
export interface Delivery {
  readonly partition: Partition;
  readonly offset: number;
  readonly orderKey: string;
  readonly pipeline: CompiledPipeline;
  readonly event: RecordValue;
  readonly eventText: string;
  /** The message's value as it stands in the log. */
  readonly body: string;
  /** Holds the event in the partition's unfinished part; `null` for a delivery that was read from the store. */
  readonly ticket: Ticket | null;
  /** Milliseconds since 1970 at which it came to the lane. */
  readonly sinceMs: number;
  attempts: number;
  /** Milliseconds since 1970; 0 before the first attempt. */
  firstAttemptMs: number;
  /** What the transformation gave; undefined before it ran. */
  values: RecordValue | RecordFailure | null | undefined;
  /** What the values cost of the memory budget. */
  valuesBytes: number;
  /** It is with its function. */
  isTransforming: boolean;
  /** It has ended or is in the store: nothing more is to be done for it here. */
  isDone: boolean;
  /** Why the last attempt did not succeed. */
  reason: string;
}

/** It cannot be sent before its function has run. */
export const needsFunction = ({ values, pipeline }: Delivery): boolean =>
  values === undefined && pipeline.function !== null;
