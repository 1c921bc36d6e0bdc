import { setTimeout as sleep } from 'node:timers/promises';
import { pauseMs } from '../deliver';
import type { Subscribe } from '../message-log';
import type { Claim } from './claims';

export interface AssignmentOptions {
  readonly onAssigned: Subscribe['onAssigned'];
  readonly onFault: (what: string, error: unknown) => void;
  /** Begins the reading of a partition. */
  readonly start: (partition: number, offset: number) => void;
  /** The holds that the same partitions had before, until they have ended. */
  readonly before: readonly Promise<void>[];
}

/** Partitions that were claimed together, for which `onAssigned` is asked once. */
export class Assignment {
  /** Resolves when the partitions have been started, or are all leaving. */
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

  /** The partition is not to be started any more. */
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
