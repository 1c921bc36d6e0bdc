import type { OutcomeRecord, StoredDelivery, UnreadableRecord } from '../changes';
import type { PipelineCount } from '../memory/pipeline-counts';
import type { RouterStore } from '../router-store';

/** Milliseconds that a lease holds in the stores of the contract. */
export const LEASE_MS = 10_000;
/** Days for which they keep dead letters. */
export const DEAD_LETTER_DAYS = 14;
/** Days for which they keep pauses: as long as events, which need not be whole days. */
export const OUTCOME_DAYS = 30.5;

type OfPartition<Row> = Row & { readonly partition: number };

/** What a database holds beside the progress, in order of partition, offset and pipeline. */
interface StoredState {
  readonly rows: readonly OfPartition<StoredDelivery>[];
  readonly unreadable: readonly OfPartition<UnreadableRecord>[];
  readonly outcomes: readonly OfPartition<OutcomeRecord>[];
  /** In order of pipeline, state and code. */
  readonly counts: readonly PipelineCount[];
}

/** How the contract reaches the database of one test, and does to it what only the adapter's spec can do. */
export interface StoreHarness {
  /** Another store on the database, prepared, as a process of its own would have it. */
  readonly open: (member: string) => Promise<RouterStore>;
  /** The present of the database's clock, in milliseconds since 1970. */
  readonly nowMs: () => Promise<number>;
  /** Makes everything in the database older. */
  readonly pass: (ms: number) => Promise<void>;
  /** The process of the member is gone, and the others can tell. */
  readonly kill: (member: string) => Promise<void>;
  readonly stored: () => Promise<StoredState>;
}
