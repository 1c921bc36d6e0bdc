import type { DeliveryKey, PartitionChanges } from '../store/changes';
import { CommitRefused, CommitsMissing, type RouterStore } from '../store/router-store';
import type { Clock } from '../time/clock';
import { CommittedTotals } from './committed-totals';
import type { OwnedPartition, PendingCommit } from './owned-partition';
import { RejectionRates } from './rejection-rates';
import { withoutRefused } from './without-refused';
import { RouterFault } from '../faults/router-fault';

export interface CommitterOptions {
  /** Milliseconds between two commits while there is something to commit. */
  readonly commitIntervalMs: number;
  /** Changes after which a commit does not wait for the interval. */
  readonly commitChanges: number;
}

export interface CommitterHost {
  /** A transaction with these commits begins. @returns what to call when it has ended; undefined: nothing. */
  readonly onBegun?: (
    commits: readonly PendingCommit[],
  ) => ((failure: unknown) => void) | undefined;
  /** A transaction with commits has ended well. */
  readonly onCommitted: (tookMs: number) => void;
  /** Deliveries were committed that took so long. */
  readonly onDelivered: (latencyMs: number, count: number) => void;
  readonly onLost: (partition: number) => void;
  readonly onError: (error: unknown) => void;
}

const MAX_PAUSE_MS = 5_000;

interface InHand {
  readonly partition: OwnedPartition;
  readonly pending: PendingCommit;
}

/** Whether the fault may be one partition's: each is committed alone then. */
const isOfOne = (error: unknown): boolean =>
  error instanceof CommitRefused || error instanceof CommitsMissing;

/**
 * Commits the changes of all partitions, one transaction at a time. Partitions share a transaction; when the database
 * refuses it, each partition is committed alone. A commit whose outcome is not known is repeated unchanged. A partition
 * of which the database has lost commits is given up, to be read again as it is stored.
 */
export class Committer {
  readonly totals: CommittedTotals;
  readonly rejections: RejectionRates;
  private readonly partitions = new Set<OwnedPartition>();
  private changes = 0;
  private isDue = false;
  private cancelTimer: (() => void) | undefined;
  private running: Promise<void> | undefined;
  private failures = 0;
  private failingFromMs: number | undefined;

  constructor(
    private readonly store: RouterStore,
    private readonly clock: Clock,
    private readonly options: CommitterOptions,
    private readonly host: CommitterHost,
  ) {
    this.totals = new CommittedTotals(host.onDelivered);
    this.rejections = new RejectionRates(clock);
  }

  /** Milliseconds for which commits have failed; 0: the last one succeeded. */
  get failingMs(): number {
    return this.failingFromMs === undefined ? 0 : this.clock.nowMs() - this.failingFromMs;
  }

  watch(partition: OwnedPartition): void {
    this.partitions.add(partition);
  }

  unwatch(partition: OwnedPartition): void {
    this.partitions.delete(partition);
  }

  /**
   * Call it when a partition has new changes. Never commits synchronously: the caller may add related changes after
   * this returns.
   */
  changed(): void {
    this.changes += 1;
    if (this.running !== undefined || this.isDue) return;
    if (this.changes >= this.options.commitChanges && this.failures === 0) this.commitSoon();
    else this.schedule();
  }

  /** Resolves when the partition has nothing to commit, or is gone. @throws the reason of the signal. */
  async flush(partition: OwnedPartition, signal: AbortSignal): Promise<void> {
    while (partition.hasChanges && !partition.isGone) {
      signal.throwIfAborted();
      if (this.running === undefined) this.begin();
      await this.running;
      if (this.failures > 0)
        await new Promise<void>((resolve) => this.clock.after(this.pauseMs(), resolve));
    }
  }

  stop(): void {
    this.cancelTimer?.();
    this.cancelTimer = undefined;
  }

  private begin(): void {
    this.stop();
    this.running = this.commit().finally(() => {
      this.running = undefined;
      if ([...this.partitions].some(({ hasChanges }) => hasChanges)) this.schedule();
    });
  }

  private commitSoon(): void {
    this.isDue = true;
    this.clock.soon(() => {
      this.isDue = false;
      if (this.running === undefined) this.begin();
    });
  }

  private schedule(): void {
    this.cancelTimer ??= this.clock.after(this.pauseMs(), () => {
      this.cancelTimer = undefined;
      if (this.running === undefined) this.begin();
    });
  }

  private pauseMs(): number {
    const { commitIntervalMs } = this.options;
    return Math.min(MAX_PAUSE_MS, commitIntervalMs * 2 ** Math.min(this.failures, 10));
  }

  private async commit(): Promise<void> {
    this.changes = 0;
    const inHand = [...this.partitions].flatMap((partition) => {
      const pending = partition.pending();
      return pending === undefined ? [] : [{ partition, pending }];
    });
    if (inHand.length === 0) return;
    try {
      await this.write(inHand);
      this.failures = 0;
      this.failingFromMs = undefined;
    } catch (error) {
      this.failures += 1;
      this.failingFromMs ??= this.clock.nowMs();
      this.host.onError(
        new RouterFault(
          'progress and outcomes of deliveries cannot be stored in PostgreSQL; trying again',
          { partitions: inHand.map(({ partition }) => partition.number) },
          error,
        ),
      );
    }
  }

  private async write(inHand: readonly InHand[]): Promise<void> {
    try {
      await this.apply(inHand);
    } catch (error) {
      if (!isOfOne(error)) throw error;
      const failures: unknown[] = [];
      for (const each of inHand)
        await this.writeAlone(each).catch((failure: unknown) => failures.push(failure));
      if (failures.length > 0) throw failures[0];
    }
  }

  private async writeAlone(each: InHand): Promise<void> {
    try {
      await this.apply([each]);
    } catch (error) {
      if (error instanceof CommitsMissing) return this.giveUp(each, error);
      if (!(error instanceof CommitRefused)) throw error;
      const refused = await this.refusedOf(each.pending.changes);
      if (refused.length === 0) throw error;
      this.host.onError(
        new RouterFault(
          'PostgreSQL refuses to store some deliveries: they are stored without their content and rejected',
          { partition: each.partition.number },
          error,
        ),
      );
      await this.writeWithout(refused, each);
    }
  }

  private giveUp({ partition }: InHand, error: CommitsMissing): void {
    this.host.onError(
      new RouterFault(
        'PostgreSQL has lost commits of a partition, as after a fail-over to a replica that was behind: the partition is read again, and what had ended since may be sent again',
        { partition: partition.number },
        error,
      ),
    );
    this.host.onLost(partition.number);
  }

  /**
   * Commits with the refused rows emptied. If that is refused too, the rows are not the cause and are kept unchanged.
   */
  private async writeWithout(refused: readonly DeliveryKey[], each: InHand): Promise<void> {
    const { pending } = each;
    const { changes } = pending;
    pending.changes = withoutRefused(changes, refused, this.clock.wallMs());
    try {
      await this.apply([each]);
    } catch (error) {
      if (error instanceof CommitRefused) pending.changes = changes;
      throw error;
    }
  }

  private refusedOf(changes: PartitionChanges): Promise<readonly DeliveryKey[]> {
    return changes.stored.length === 0 ? Promise.resolve([]) : this.store.refusedRows(changes);
  }

  private async apply(inHand: readonly InHand[]): Promise<void> {
    const fromMs = this.clock.nowMs();
    const lost = new Set(await this.stored(inHand.map(({ pending }) => pending)));
    this.host.onCommitted(this.clock.nowMs() - fromMs);
    for (const { partition, pending } of inHand)
      if (lost.has(partition.number)) this.host.onLost(partition.number);
      else {
        this.totals.add(pending.changes);
        this.rejections.add(pending.changes);
        partition.confirm();
      }
  }

  /** @returns the partitions that were lost. */
  private async stored(commits: readonly PendingCommit[]): Promise<readonly number[]> {
    const ended = this.host.onBegun?.(commits);
    try {
      const lost = await this.store.commit(commits.map(({ changes }) => changes));
      ended?.(undefined);
      return lost;
    } catch (error) {
      ended?.(error);
      throw error;
    }
  }
}
