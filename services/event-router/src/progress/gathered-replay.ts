import type { JobId } from '@penstock/contracts';
import type { OpenReplayed, ReplayCount, ReplayFailure, ReplayStep } from '../store/changes';

/**
 * What a replay has done in a partition since the last commit was composed. A delivery that is opened and ends between two
 * commits is never written.
 */
export class GatheredReplay {
  private readonly opened = new Map<number, OpenReplayed>();
  private readonly tried = new Map<number, ReplayStep['tried'][number]>();
  private readonly ended: number[] = [];
  private readonly failures: ReplayFailure[] = [];
  private readonly counts = new Map<ReplayCount, number>();

  constructor(
    private readonly job: JobId,
    private position: number,
  ) {}

  get step(): ReplayStep {
    const { job, position, ended, failures, counts } = this;
    const [opened, tried] = [[...this.opened.values()], [...this.tried.values()]];
    return { job, position, opened, tried, ended, failures, counts };
  }

  moveTo(position: number): void {
    this.position = position;
  }

  open(delivery: OpenReplayed): void {
    this.opened.set(delivery.offset, delivery);
  }

  tries(tried: ReplayStep['tried'][number]): void {
    const opened = this.opened.get(tried.offset);
    if (opened === undefined) this.tried.set(tried.offset, tried);
    else this.opened.set(tried.offset, { ...opened, ...tried });
  }

  end(offset: number, counted: readonly ReplayCount[], failure?: ReplayFailure): void {
    this.tried.delete(offset);
    if (!this.opened.delete(offset)) this.ended.push(offset);
    if (failure !== undefined) this.failures.push(failure);
    for (const each of counted) this.count(each);
  }

  count(counted: ReplayCount, times = 1): void {
    this.counts.set(counted, (this.counts.get(counted) ?? 0) + times);
  }
}
