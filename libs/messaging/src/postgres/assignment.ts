import { setTimeout as sleep } from 'node:timers/promises';
import { pauseMs } from '../deliver';
import type { Subscribe } from '../message-log';
import type { Claim } from './claims';

export interface AssignmentOptions {
  readonly onAssigned: Subscribe['onAssigned'];
  readonly onFault: (what: string, error: unknown) => void;
  /** Starts to read a partition. */
  readonly start: (partition: number, offset: number) => void;
  /** Previous assignments of the same partitions, as promises for their ends. */
  readonly before: readonly Promise<void>[];
}

/** Partitions that were claimed together, for which `onAssigned` is called once. */
export class Assignment {
  /** Resolves when the partitions have been started, or all have left before. */
  readonly settled: Promise<void>;
  private readonly staying: Map<number, Claim>;
  private readonly abandoned = new AbortController();

  constructor(
    claims: readonly Claim[],
    private readonly options: AssignmentOptions,
  ) {
    this.staying = new Map(claims.map((claim) => [claim.partition, claim]));
    this.settled = this.settle();
  }

  /** Prevents the partition from being started. */
  leave(partition: number): void {
    this.staying.delete(partition);
    if (this.staying.size === 0) this.abandoned.abort();
  }

  private async settle(): Promise<void> {
    const partitions = [...this.staying.keys()];
    await Promise.all(this.options.before);
    const { signal } = this.abandoned;
    for (let attempt = 1; !signal.aborted; attempt += 1) {
      try {
        const starts = await this.options.onAssigned?.(partitions);
        for (const { partition, position } of this.staying.values())
          this.options.start(partition, starts?.get(partition) ?? position);
        return;
      } catch (error) {
        this.options.onFault('onAssigned has failed', error);
        await sleep(pauseMs(attempt), undefined, { signal }).catch(() => undefined);
      }
    }
  }
}
