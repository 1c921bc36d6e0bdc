import { LeaseLost, type RouterStore } from '../store/router-store';
import type { MemoryBudget } from './memory-budget';
import type { Partition, Taken } from './partition';

interface CommitterOptions {
  readonly commitIntervalMs: number;
  readonly commitChanges: number;
}

const MAX_PAUSE_MS = 5_000;

/**
 * Writes what the partitions have to commit: all of them together in one transaction, an interval after the
 * first change or once enough events have ended, one transaction at a time.
 */
export class Committer {
  private readonly partitions = new Map<number, Partition>();
  private changes = 0;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private failures = 0;

  constructor(
    private readonly store: RouterStore,
    private readonly budget: MemoryBudget,
    private readonly options: CommitterOptions,
    private readonly onLost: (partition: number) => void,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** From now on the partition's changes are written. */
  watch(partition: Partition): void {
    this.partitions.set(partition.number, partition);
  }

  unwatch(partition: Partition): void {
    if (this.partitions.get(partition.number) === partition)
      this.partitions.delete(partition.number);
  }

  /** A partition has something more to commit. */
  changed(): void {
    this.changes += 1;
    if (this.running !== undefined) return;
    if (this.changes >= this.options.commitChanges && this.failures === 0)
      this.begin().catch(this.onError);
    else this.schedule();
  }

  /** Writes what there is now. @throws whatever the database says; the changes are kept then. */
  async flush(): Promise<void> {
    while (this.running !== undefined) await this.running;
    await this.begin();
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  /** One transaction at a time: a later one must not be overtaken by what it builds on. */
  private begin(): Promise<void> {
    this.stop();
    const committed = this.commit();
    this.running = committed
      .catch(() => undefined)
      .finally(() => {
        this.running = undefined;
        if (this.changes > 0) this.schedule();
      });
    return committed;
  }

  private schedule(): void {
    this.timer ??= setTimeout(() => {
      this.begin().catch(this.onError);
    }, this.pauseMs());
  }

  private pauseMs(): number {
    const { commitIntervalMs } = this.options;
    return Math.min(MAX_PAUSE_MS, commitIntervalMs * 2 ** Math.min(this.failures, 10));
  }

  private async commit(): Promise<void> {
    this.changes = 0;
    const taken = [...this.partitions.values()].flatMap((each) => each.take() ?? []);
    if (taken.length === 0) return;
    try {
      await this.store.commit(taken.map(({ changes }) => changes));
      this.failures = 0;
      for (const each of taken) this.confirm(each);
    } catch (error) {
      this.failures += 1;
      for (const each of taken) each.partition.giveBack(each);
      this.changes += 1;
      if (!(error instanceof LeaseLost)) throw error;
      for (const partition of error.partitions) this.onLost(partition);
    }
  }

  private confirm(taken: Taken): void {
    if (taken.partition.isLost) return;
    taken.partition.confirm(taken);
    this.budget.release(taken.bytes);
  }
}
