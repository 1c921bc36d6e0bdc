import type { CommitPlace, JobId } from '@penstock/contracts';
import type { LaneId, RateId } from '../../lanes/lane-id';
import type {
  AttemptRecord,
  Audience,
  DuplicateRecord,
  FirstMessage,
  OutcomeRecord,
  StoredDelivery,
  UnreadableRecord,
} from '../changes';
import type { Job } from '../jobs/job';
import type { LaneRecord, Observation } from '../router-store';
import { MemoryOutcomes } from './memory-outcomes';
import { MemoryPartition } from './memory-partition';
import { type PipelineCount, pipelineCounts } from './pipeline-counts';

/** A row of one partition with the time at which it was written, in milliseconds of the database's clock. */
export type Written<Row> = Row & { readonly partition: number; readonly writtenMs: number };

/** A number that is counted for a job. */
interface JobCount {
  readonly job: JobId;
  readonly name: string;
  count: number;
}

/** First and last beat of a member, in milliseconds of the database's clock. */
interface Life {
  readonly sinceMs: number;
  seenMs: number;
}

/**
 * The state that several {@link MemoryRouterStore}s share, as processes share a database. For tests, which may read all
 * of it, and write it before a store begins.
 */
export class MemoryDatabase {
  readonly members = new Map<string, Life>();
  readonly lanes = new Map<LaneId, LaneRecord>();
  /** By member. */
  readonly observations = new Map<string, readonly Observation[]>();
  /** The time up to which tokens were given, by rate, in milliseconds of the clock. */
  readonly tokensFromMs = new Map<RateId, number>();
  /** Their counts are in `jobCounts`. */
  readonly jobs = new Map<JobId, Job>();
  /** By job, partition and name. */
  readonly jobCounts = new Map<string, JobCount>();
  /** By {@link countKey}. */
  readonly counters = new Map<string, number>();
  /** By {@link baseKey}. */
  readonly bases = new Map<string, number>();
  readonly audiences = new Map<string, Audience>();
  /** By hash. */
  readonly messages = new Map<string, Written<FirstMessage>>();
  duplicates: Written<DuplicateRecord>[] = [];
  attempts: Written<AttemptRecord>[] = [];
  unreadable: Written<UnreadableRecord>[] = [];
  readonly outcomeRows = new MemoryOutcomes();
  log: string | undefined;
  private readonly partitionsByNumber = new Map<number, MemoryPartition>();
  private readonly dead = new Set<string>();

  /**
   * @param nowMs the database's clock.
   * @param refuses whether the database refuses a row, in addition to rows with numbers beyond 32 bits.
   */
  constructor(
    readonly nowMs: () => number,
    readonly refuses: (delivery: StoredDelivery) => boolean = () => false,
  ) {}

  /** Makes the member's process appear dead to all others. */
  kill(member: string): void {
    this.dead.add(member);
  }

  isDead(member: string): boolean {
    return this.dead.has(member);
  }

  /** The partition; created on first use. */
  partition(number: number): MemoryPartition {
    const known = this.partitionsByNumber.get(number);
    if (known !== undefined) return known;
    const made = new MemoryPartition();
    this.partitionsByNumber.set(number, made);
    return made;
  }

  /** Ordered by number. */
  get partitions(): readonly (readonly [number, MemoryPartition])[] {
    return [...this.partitionsByNumber].sort(([a], [b]) => a - b);
  }

  /** The rows of all partitions, in order. */
  get rows(): readonly (StoredDelivery & { readonly partition: number })[] {
    return this.partitions.flatMap(([partition, { rows }]) =>
      rows.map(({ delivery }) => ({ ...delivery, partition })),
    );
  }

  /** Adds the outcomes of a commit. */
  record(place: CommitPlace, outcomes: readonly OutcomeRecord[]): void {
    this.outcomeRows.add(place, outcomes, this.nowMs());
  }

  /** All outcomes that are kept, in the order in which they were written. */
  get outcomes(): readonly Written<OutcomeRecord>[] {
    return this.outcomeRows.list.flatMap(({ partition, writtenMs, outcomes }) =>
      outcomes.map((outcome) => ({ ...outcome, partition, writtenMs })),
    );
  }

  /** Body digests, by hash, of the hashes that were written at or after `sinceMs`. */
  seen(hashes: readonly string[], sinceMs: number): Map<string, string> {
    const seen = new Map<string, string>();
    for (const hash of hashes) {
      const message = this.messages.get(hash);
      if (message !== undefined && message.writtenMs >= sinceMs) seen.set(hash, message.digest);
    }
    return seen;
  }

  /** Removes what was written before the given times. */
  sweep(before: {
    readonly messagesMs: number;
    readonly unreadableMs: number;
    readonly outcomesMs: number;
  }): void {
    for (const [hash, { writtenMs }] of this.messages)
      if (writtenMs < before.messagesMs) this.messages.delete(hash);
    this.unreadable = this.unreadable.filter(({ writtenMs }) => writtenMs >= before.unreadableMs);
    this.duplicates = this.duplicates.filter(({ writtenMs }) => writtenMs >= before.messagesMs);
    this.attempts = this.attempts.filter(({ writtenMs }) => writtenMs >= before.outcomesMs);
    this.outcomeRows.sweep(before.outcomesMs);
  }

  /** The counts as the view `pipeline_counts` of PostgreSQL computes them, ordered. */
  get pipelineCounts(): readonly PipelineCount[] {
    return pipelineCounts(this);
  }
}
