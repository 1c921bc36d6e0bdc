import type { ConnectionId, PipelineId } from '@penstock/contracts';
import type { OffsetRange } from '../partitions/finished-prefix';

/** The states in which an event ends for a pipeline. */
export type EndState = 'Delivered' | 'Filtered' | 'Rejected' | 'Parked' | 'Duplicate';

/** The step of the pipeline at which an event ended; Finalize is the delivery itself. */
export type Step =
  'Receive' | 'InputValidation' | 'Filter' | 'Transformation' | 'OutputValidation' | 'Finalize';

/** How an event ended for a pipeline. `code` says why, from a short list; empty when the state says it all. */
export interface Ending {
  readonly state: EndState;
  readonly step: Step;
  readonly code: string;
  /** For people; holds no secret. Empty where nothing is kept. */
  readonly reason: string;
}

/** Names one delivery: one event on its way through one pipeline. */
export interface DeliveryKey {
  readonly offset: number;
  readonly pipeline: PipelineId;
}

/** A delivery as the store keeps it. */
export interface StoredDelivery extends DeliveryKey {
  readonly version: number;
  readonly lane: ConnectionId;
  readonly orderKey: string;
  readonly attempts: number;
  /** Milliseconds since 1970 of the first attempt; the retry budget counts from there. */
  readonly firstAttemptMs: number;
  /** Milliseconds since 1970. */
  readonly dueMs: number;
  readonly state: 'Waiting' | 'Rejected' | 'Parked';
  readonly step: Step | null;
  readonly code: string;
  readonly reason: string;
  /** The message's value as it stands in the log. */
  readonly body: string;
}

/** A stored delivery that was tried again without success. */
export interface Postponed extends DeliveryKey {
  readonly attempts: number;
  readonly firstAttemptMs: number;
  readonly dueMs: number;
  readonly reason: string;
}

/** A stored delivery that ended; without an ending to keep it is removed. */
export interface Settled extends DeliveryKey {
  readonly ending: Ending;
}

/** What one partition has to commit: all of it in one transaction, or none. */
export interface PartitionChanges {
  readonly partition: number;
  readonly epoch: number;
  readonly next: number;
  readonly beyond: readonly OffsetRange[];
  /** `pipeline|state|step|code|minute` (minutes since 1970) → how many. */
  readonly counts: ReadonlyMap<string, number>;
  /** Message hash → body digest, of the events that finished. */
  readonly messages: ReadonlyMap<string, string>;
  readonly stored: readonly StoredDelivery[];
  readonly postponed: readonly Postponed[];
  readonly settled: readonly Settled[];
}

/** The key of a counter in {@link PartitionChanges.counts}. */
export const countKey = (pipeline: PipelineId, ending: Ending, nowMs: number): string =>
  [pipeline, ending.state, ending.step, ending.code, Math.floor(nowMs / 60_000)].join('|');
