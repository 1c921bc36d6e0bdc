import type { ConnectionId, JobId, PipelineId } from '@penstock/contracts';
import {
  type AttemptRecord,
  type Audience,
  baseKey,
  type BaseKind,
  countKey,
  type Counted,
  type DuplicateRecord,
  type OutcomeRecord,
  type PartitionChanges,
  type Postponed,
  type Redriven,
  type RedriveTried,
  type Settled,
  sourceKey,
  type StoredDelivery,
  type UnreadableRecord,
} from '../store/changes';
import { GatheredReplay } from './gathered-replay';
import { Tally } from './tally';
import { type TimedEnding, TimesTally } from './times-tally';

/** Spans of sampled events that a commit knows: one is its parent, and to the others it has links. */
const MAX_TRACED = 33;

/** A row to be stored, and a function that releases its memory afterwards. */
export interface RowInHand {
  readonly row: StoredDelivery;
  readonly release: () => void;
}

type Written = Pick<
  PartitionChanges,
  | 'counts'
  | 'bases'
  | 'sources'
  | 'times'
  | 'duplicates'
  | 'stored'
  | 'postponed'
  | 'settled'
  | 'redriven'
  | 'redriveTried'
  | 'redrivesStopped'
  | 'replayed'
  | 'unreadable'
  | 'outcomes'
  | 'attempts'
>;

/** The changes of a partition since its last commit was composed, without those of open deliveries. */
export class GatheredChanges {
  readonly audiences = new Set<Audience>();
  readonly stored: RowInHand[] = [];
  readonly postponed: Postponed[] = [];
  readonly settled: Settled[] = [];
  readonly redriven: Redriven[] = [];
  readonly redriveTried: RedriveTried[] = [];
  readonly redrivesStopped: JobId[] = [];
  readonly unreadable: UnreadableRecord[] = [];
  readonly outcomes: OutcomeRecord[] = [];
  readonly attempts: AttemptRecord[] = [];
  readonly duplicates: DuplicateRecord[] = [];
  hasChanged = false;
  /** The spans of events whose deliveries have ended; of very many some. */
  readonly traced = new Set<string>();
  private readonly replayed = new Map<JobId, GatheredReplay>();
  private readonly counts = new Tally<Counted, PipelineId>((counted, pipeline, nowMs) =>
    countKey(pipeline, counted, nowMs),
  );
  private readonly bases = new Tally<Audience, BaseKind>((audience, kind, nowMs) =>
    baseKey(audience.id, kind, nowMs),
  );
  private readonly sources = new Tally<ConnectionId, BaseKind>(sourceKey);
  private readonly times = new TimesTally();

  /** The lists and counts that are committed unchanged. */
  get written(): Written {
    const { postponed, settled, redriven, redriveTried, redrivesStopped } = this;
    const { unreadable, outcomes, attempts, duplicates } = this;
    const replayed = [...this.replayed.values()].map(({ step }) => step);
    const rows = { postponed, settled, redriven, redriveTried, redrivesStopped, replayed };
    const { written: counts } = this.counts;
    const { written: bases } = this.bases;
    const { written: sources } = this.sources;
    const { written: times } = this.times;
    const stored = this.stored.map(({ row }) => row);
    const all = { counts, bases, sources, times };
    return { ...all, duplicates, stored, ...rows, unreadable, outcomes, attempts };
  }

  /** What a replay does, until the next commit. @param position the next offset of its window that it has to read. */
  replay(job: JobId, position: number): GatheredReplay {
    const known = this.replayed.get(job);
    if (known !== undefined) return known;
    const gathered = new GatheredReplay(job, position);
    this.replayed.set(job, gathered);
    return gathered;
  }

  count(pipeline: PipelineId, counted: Counted, nowMs: number, times = 1): void {
    this.counts.add(counted, pipeline, nowMs, times);
    this.hasChanged = true;
  }

  base(audience: Audience, kind: BaseKind, nowMs: number): void {
    this.bases.add(audience, kind, nowMs);
    this.audiences.add(audience);
    this.hasChanged = true;
  }

  source(source: ConnectionId, kind: BaseKind, nowMs: number): void {
    this.sources.add(source, kind, nowMs);
    this.hasChanged = true;
  }

  /** Notes the span of an event that is sampled. */
  trace(traceparent: string): void {
    if (this.traced.size < MAX_TRACED) this.traced.add(traceparent);
  }

  /** Adds the time that a delivery has taken until it ended. */
  time(ending: TimedEnding): void {
    this.times.add(ending);
    this.hasChanged = true;
  }
}
