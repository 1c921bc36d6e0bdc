import { NO_PROGRESS } from '../store/no-progress.fixture';
import {
  type LeaseGrant,
  LeaseLost,
  type PartitionProgress,
  type Roll,
} from '../store/router-store';
import type { Clock } from '../time/clock';
import type { LeaseStore } from './lease-store';

export interface LeaseRow {
  member: string | null;
  epoch: number;
  untilMs: number;
}

/** The lease tables of the database, in memory; each call is executed at once, at the time of the given clock. */
export class LeaseTable {
  readonly rows = new Map<number, LeaseRow>();
  private readonly beatMs = new Map<string, number>();

  constructor(
    private readonly clock: Clock,
    readonly leaseMs: number,
    private readonly marginMs = 1_000,
    private readonly memberMs = leaseMs + marginMs,
  ) {}

  /** The table as one member uses it. */
  as(member: string): LeaseStore {
    const at = <T>(work: () => T) => Promise.resolve().then(work);
    return {
      member,
      beat: (partitions) => at(() => this.beat(member, partitions)),
      leave: () => at(() => void this.beatMs.delete(member)),
      acquire: (partitions) => at(() => this.acquire(member, partitions)),
      renew: (grants) => at(() => this.renew(member, grants)),
      release: (grants) =>
        at(() => {
          this.release(grants);
        }),
      restore: (grant) => at(() => this.restore(grant)),
    };
  }

  /** The holder of each partition by the rows, whether its lease has lapsed or not. */
  owners(): ReadonlyMap<number, string | null> {
    return new Map([...this.rows].map(([partition, { member }]) => [partition, member]));
  }

  /** Members that have not left, however old their last beat is. */
  get known(): readonly string[] {
    return [...this.beatMs.keys()];
  }

  private row(partition: number): LeaseRow {
    const known = this.rows.get(partition) ?? { member: null, epoch: 0, untilMs: -Infinity };
    this.rows.set(partition, known);
    return known;
  }

  private isFree({ member, untilMs }: LeaseRow): boolean {
    return member === null || untilMs + this.marginMs < this.clock.nowMs();
  }

  private beat(member: string, partitions: number): Roll {
    const nowMs = this.clock.nowMs();
    this.beatMs.set(member, nowMs);
    for (let each = 0; each < partitions; each += 1) this.row(each);
    const members = [...this.beatMs].filter(([, beatMs]) => beatMs + this.memberMs >= nowMs);
    const leases = [...this.rows].map(([partition, row]) => ({
      partition,
      member: row.member,
      isFree: this.isFree(row),
    }));
    return { members: members.map(([id]) => id), leases };
  }

  private acquire(member: string, partitions: readonly number[]): readonly LeaseGrant[] {
    return partitions.flatMap((partition) => {
      const row = this.row(partition);
      if (!this.isFree(row) && row.member !== member) return [];
      row.member = member;
      row.epoch += 1;
      row.untilMs = this.clock.nowMs() + this.leaseMs;
      return [{ partition, epoch: row.epoch }];
    });
  }

  private renew(member: string, grants: readonly LeaseGrant[]): readonly number[] {
    const kept = grants.filter(({ partition, epoch }) => {
      const row = this.row(partition);
      return row.epoch === epoch && row.member === member;
    });
    for (const { partition } of kept)
      this.row(partition).untilMs = this.clock.nowMs() + this.leaseMs;
    return kept.map(({ partition }) => partition);
  }

  private release(grants: readonly LeaseGrant[]): void {
    for (const { partition, epoch } of grants) {
      const row = this.row(partition);
      if (row.epoch === epoch) row.member = null;
    }
  }

  private restore({ partition, epoch }: LeaseGrant): PartitionProgress {
    if (this.row(partition).epoch !== epoch) throw new LeaseLost(partition);
    return NO_PROGRESS;
  }
}
