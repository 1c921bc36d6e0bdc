import type { JobId, PipelineId } from '@penstock/contracts';
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
  type StoredDelivery,
  type UnreadableRecord,
} from '../store/changes';
import { Tally } from './tally';

/** A row to be stored, and a function that releases its memory afterwards. */
export interface RowInHand {
  readonly row: StoredDelivery;
  readonly release: () => void;
}

type Written = Pick<
  PartitionChanges,
  | 'counts'
  | 'bases'
  | 'duplicates'
  | 'stored'
  | 'postponed'
  | 'settled'
  | 'redriven'
  | 'redriveTried'
  | 'redrivesStopped'
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
  private readonly counts = new Tally<Counted, PipelineId>((counted, pipeline, nowMs) =>
    countKey(pipeline, counted, nowMs),
  );
  private readonly bases = new Tally<Audience, BaseKind>((audience, kind, nowMs) =>
    baseKey(audience.id, kind, nowMs),
  );

  /** The lists and counts that are committed unchanged. */
  get written(): Written {
    const { postponed, settled, redriven, redriveTried, redrivesStopped } = this;
    const { unreadable, outcomes, attempts, duplicates } = this;
    const rows = { postponed, settled, redriven, redriveTried, redrivesStopped };
    const { written: counts } = this.counts;
    const { written: bases } = this.bases;
    const stored = this.stored.map(({ row }) => row);
    return { counts, bases, duplicates, stored, ...rows, unreadable, outcomes, attempts };
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
}
