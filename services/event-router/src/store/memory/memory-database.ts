import type { CommitPlace, JobId } from '@penstock/contracts';
import type { LaneId } from '../lane-id';
import type {
  AttemptRecord,
  Audience,
  DeliveryKey,
  DeliveryTimes,
  DuplicateRecord,
  FirstMessage,
  OpenReplayed,
  OutcomeRecord,
  ReplayFailure,
  StoredDelivery,
  UnreadableRecord,
} from '../changes';
import type { SourceCount, TimesRow } from '../counted-rows';
import type { StoredNotification, WatchedObject } from '../alerts/alert-store';
import type { EndedJobState, Job } from '../jobs/job';
import type { LaneRecord, Observation, OffsetRange } from '../router-store';
import { sourceCounts, timesRows } from './memory-counts';
import { MemoryOutcomes } from './memory-outcomes';
import { MemoryPartition } from './memory-partition';
import { type PipelineCount, pipelineCounts } from './pipeline-counts';

/** A row of one partition with the time at which it was written, in milliseconds of the database's clock. */
export type Written<Row> = Row & { readonly partition: number; readonly writtenMs: number };

/** The key of a chosen dead letter. */
export const chosenKey = (partition: number, { offset, pipeline }: DeliveryKey): string =>
  `${partition}/${offset}/${pipeline}`;

/** A number that is counted for a job. */
interface JobCount {
  readonly job: JobId;
  readonly name: string;
  readonly count: number;
}

/** A dead letter that a redrive has chosen. */
export interface MemoryChosen extends DeliveryKey {
  readonly partition: number;
  readonly job: JobId;
  readonly orderKey: string;
  readonly attempts: number;
  readonly dueMs: number;
  readonly reason: string;
}

/** A notification of an alert, with what is not listed. */
export interface MemoryNotification
  extends StoredNotification, Pick<WatchedObject, 'alert' | 'workspace'> {
  /** The order in which notifications were recorded. */
  readonly number: number;
  readonly body: string;
  readonly takenUntilMs: number;
}

/** A replay that delivers. */
export interface MemoryReplay {
  /** By partition. */
  readonly windows: readonly OffsetRange[];
  readonly positions: Map<number, number>;
  /** By partition and offset. */
  readonly open: Map<number, Map<number, OpenReplayed>>;
  readonly failures: (ReplayFailure & { readonly partition: number })[];
  readonly endsAs: EndedJobState;
  readonly reason: string;
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
  /** Where conditions of alerts hold, and their notifications; by which configuration, and when pipelines were measured. */
  readonly alerts = {
    position: 0,
    measuredMs: -Infinity,
    /** Number of the newest notification. */
    newest: 0,
    holding: new Map<string, WatchedObject>(),
    notifications: new Map<string, MemoryNotification>(),
  };
  /** By member. */
  readonly observations = new Map<string, readonly Observation[]>();
  /** The time up to which tokens were given, by rate, in milliseconds of the clock. */
  readonly tokensFromMs = new Map<string, number>();
  /** Their counts are in `jobCounts`. */
  readonly jobs = new Map<JobId, Job>();
  /** By job and name. */
  readonly jobCounts = new Map<string, JobCount>();
  /** The dead letters that redrives have chosen, by partition, offset and pipeline. */
  readonly chosen = new Map<string, MemoryChosen>();
  /** The replays that deliver. */
  readonly replays = new Map<JobId, MemoryReplay>();
  /** Epochs under which owners have stopped working on cancelled redrives and replays, by job and partition. */
  readonly redriveStops = new Map<string, number>();
  /** By {@link countKey}. */
  readonly counters = new Map<string, number>();
  /** By {@link baseKey}. */
  readonly bases = new Map<string, number>();
  /** What was counted for audiences that is counted for each of their pipelines now, by {@link countKey}. */
  readonly plain = new Map<string, number>();
  readonly audiences = new Map<string, Audience & { readonly writtenMs: number }>();
  /** By {@link sourceKey}. */
  readonly sources = new Map<string, number>();
  /** By {@link timesKey}. */
  readonly times = new Map<string, DeliveryTimes>();
  /** What is noted of waiting events, by partition. */
  readonly waiting = new Map<number, ReadonlyMap<string, number>>();
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

  /** Lowers the offsets of the chosen dead letters of a partition. */
  lowerChosen(partition: number, by: number): void {
    for (const [key, each] of [...this.chosen]) {
      if (each.partition !== partition) continue;
      this.chosen.delete(key);
      const lowered = { ...each, offset: each.offset - by };
      this.chosen.set(chosenKey(partition, lowered), lowered);
    }
  }

  /** Adds to a number of a job. */
  countForJob(job: JobId, name: string, times = 1): void {
    const key = `${job}|${name}`;
    const count = (this.jobCounts.get(key)?.count ?? 0) + times;
    this.jobCounts.set(key, { job, name, count });
  }

  /** Whether the job has not ended. */
  isOpenJob(job: JobId): boolean {
    return this.jobs.get(job)?.endedMs === null;
  }

  /** Whether an open redrive has chosen the dead letter. */
  isChosen(partition: number, key: DeliveryKey): boolean {
    const chosen = this.chosen.get(chosenKey(partition, key));
    return chosen !== undefined && this.isOpenJob(chosen.job);
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
    readonly audiencesMs: number;
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
    this.sweepAudiences(before.audiencesMs);
  }

  /** Removes the audiences that no counts refer to. */
  private sweepAudiences(beforeMs: number): void {
    const referred = new Set([...this.bases.keys()].map((key) => key.split('|', 1)[0]));
    for (const [id, { writtenMs }] of this.audiences)
      if (writtenMs < beforeMs && !referred.has(id)) this.audiences.delete(id);
  }

  /** {@link sources} as rows, ordered. */
  get sourceCounts(): readonly SourceCount[] {
    return sourceCounts(this.sources);
  }

  /** {@link times} as rows, ordered. */
  get timesRows(): readonly TimesRow[] {
    return timesRows(this.times);
  }

  /** The counts as the view `pipeline_counts` of PostgreSQL computes them, ordered. */
  get pipelineCounts(): readonly PipelineCount[] {
    return pipelineCounts(this);
  }
}
