import type {
  ConnectionId,
  Microtime,
  PipelineId,
  RunId,
  RunPosition,
  StepCounts,
} from '@penstock/contracts';
import type { Extent } from './record-source';
import type { TalliedErrors } from './tally';

/** A run as a worker takes it up: what was settled of it. */
export interface RunSoFar {
  readonly run: RunId;
  readonly pipeline: PipelineId;
  readonly connection: ConnectionId;
  /** When it was requested: the time of records that have none, and what decides between updates of one time. */
  readonly startedAt: Microtime;
  /** `null` of an export. */
  readonly incremental: boolean | null;
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
  /** Where the source has some of the records without a readable id. */
  readonly placesWithoutId: readonly string[];
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
  readonly errors: readonly TalliedErrors[];
  /** Records among those that failed whose reasons were recorded before the reading began anew, by step. */
  readonly recounted: StepCounts;
  readonly warnings: readonly string[];
  readonly extent: Extent;
}

/** A key that a profile takes among those of its run. */
export interface TakenKey {
  /** A hash of the key. */
  readonly key: Buffer;
  readonly profile: string;
}

/**
 * Records what happens to one run, under the epoch of one claim. Every method may be repeated after `Away`: what was
 * recorded is recorded once.
 *
 * @throws LeaseLost when the run has a newer epoch, Away when the store cannot be reached.
 */
export interface RunLedger {
  settle(batch: SettledBatch): Promise<void>;
  /**
   * The counters begin at zero, and the reading with the batch of this number. The reasons of an import are kept for the
   * records that are counted again; an export tells all of its own once more.
   */
  restart(reason: string, readingFrom: number): Promise<void>;
}

/** The same of an import. */
export interface ImportLedger extends RunLedger {
  /** Notes how many identities the run has removed until now. */
  purged(count: number): Promise<void>;
}

/** The same of an export. */
export interface ExportLedger extends RunLedger {
  /**
   * Takes keys for the profiles of a batch, each for the first profile that wants it.
   *
   * @param keys none twice.
   * @returns profiles that have some key of these: those of the batch that are not among them come too late.
   */
  takeKeys(batch: number, keys: readonly TakenKey[]): Promise<ReadonlySet<string>>;
  /** Forgets keys that were taken by batches that were never settled. */
  forgetUnsettledKeys(): Promise<void>;
  /** Does nothing: it tells whether the claim holds. */
  check(): Promise<void>;
}
