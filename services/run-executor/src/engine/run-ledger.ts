import type {
  ConnectionId,
  Microtime,
  PipelineId,
  RunErrorGroup,
  RunId,
  RunPosition,
  StepCounts,
} from '@penstock/contracts';
import type { Extent } from './record-source';

/** A run as a worker takes it up: what was settled of it. */
export interface RunSoFar {
  readonly run: RunId;
  readonly pipeline: PipelineId;
  readonly connection: ConnectionId;
  /** When it was requested: the time of records that have none, and what decides between updates of one time. */
  readonly startedAt: Microtime;
  readonly incremental: boolean;
  /** Where an incremental run begins. */
  readonly startingCursor: Microtime | null;
  readonly position: RunPosition;
  /** The number that the next batch may have. */
  readonly nextBatch: number;
  /** The number from which on batches belong to the present reading. */
  readonly readingFrom: number;
  /** Numbers of batches that may have been written and were never settled. */
  readonly unsettled: readonly number[];
  readonly passed: StepCounts;
  readonly failed: StepCounts;
  readonly duplicates: number;
  readonly withoutId: number;
  readonly cursor: Microtime | null;
  readonly warnings: readonly string[];
}

/** A batch that was written, as it is recorded. */
export interface SettledBatch {
  readonly sequence: number;
  readonly position: RunPosition;
  readonly passed: StepCounts;
  readonly failed: StepCounts;
  readonly duplicates: number;
  readonly withoutId: number;
  readonly cursor: Microtime | null;
  readonly errors: readonly RunErrorGroup[];
  readonly warnings: readonly string[];
  readonly extent: Extent;
}

/**
 * Records what happens to one run, under the epoch of one claim. Every method may be repeated after `Away`: what was
 * recorded is recorded once.
 *
 * @throws LeaseLost when the run has a newer epoch, Away when the store cannot be reached.
 */
export interface RunLedger {
  settle(batch: SettledBatch): Promise<void>;
  /** The counters begin at zero, and the reading with the batch of this number. */
  restart(reason: string, readingFrom: number): Promise<void>;
}
