import type {
  AttemptRecord,
  DuplicateRecord,
  FirstMessage,
  OutcomeRecord,
  StoredDelivery,
  UnreadableRecord,
} from '../changes';
import type { SourceCount, TimesRow } from '../counted-rows';
import type { PipelineCount } from '../memory/pipeline-counts';
import type { RouterStore } from '../router-store';

/** Milliseconds of a lease in the stores of the contract. */
export const LEASE_MS = 10_000;
/** Days for which these stores keep dead letters. */
export const DEAD_LETTER_DAYS = 14;
/** Days for which these stores keep outcomes and pauses; need not be an integer. */
export const OUTCOME_DAYS = 30.5;

type OfPartition<Row> = Row & { readonly partition: number };

/** The content of the database beside the progress, ordered by partition, offset and pipeline. */
interface StoredState {
  readonly rows: readonly OfPartition<StoredDelivery>[];
  readonly unreadable: readonly OfPartition<UnreadableRecord>[];
  readonly outcomes: readonly OfPartition<OutcomeRecord>[];
  readonly attempts: readonly OfPartition<AttemptRecord>[];
  readonly duplicates: readonly OfPartition<DuplicateRecord>[];
  /** Ordered by hash. */
  readonly messages: readonly (OfPartition<FirstMessage> & { readonly hash: string })[];
  /** Ordered by pipeline, state and code. */
  readonly counts: readonly PipelineCount[];
  /** Ids of audiences, in order. */
  readonly audiences: readonly string[];
  /** Ordered by source, kind and minute; sums of all partitions. */
  readonly sources: readonly SourceCount[];
  /** Ordered by pipeline and minute; sums of all partitions. */
  readonly times: readonly TimesRow[];
  /** Noted times of waiting events, in milliseconds since 1970, ordered by partition and what they are about. */
  readonly waiting: readonly (readonly [partition: number, about: string, sinceMs: number])[];
}

/** Access of the contract to the database of one test, which each adapter's spec implements. */
export interface StoreHarness {
  /** Opens and prepares another store on the database, as another process would. */
  readonly open: (member: string) => Promise<RouterStore>;
  /** The time of the database's clock, in milliseconds since 1970. */
  readonly nowMs: () => Promise<number>;
  /** Lets time pass: makes everything in the database older. */
  readonly pass: (ms: number) => Promise<void>;
  /** Makes the process of the member appear dead to the others. */
  readonly kill: (member: string) => Promise<void>;
  readonly stored: () => Promise<StoredState>;
}
