import type { Clock } from '../time/clock';
import type { LeaseStore } from './lease-store';
import type { OwnershipTimes } from './ownership-options';
import type { Tenure } from './tenure';
import { RouterFault } from '../faults/router-fault';

/** Renews all leases with one call per beat. A failed call is repeated soon; one that hangs does not delay the next. */
export class Renewals {
  private cancel: () => void = () => undefined;
  private isStopped = false;

  constructor(
    private readonly store: LeaseStore,
    private readonly clock: Clock,
    private readonly times: OwnershipTimes,
    private readonly tenures: () => readonly Tenure[],
    private readonly onError: (error: unknown) => void,
  ) {}

  start(): void {
    this.renewIn(this.times.beatMs);
  }

  stop(): void {
    this.isStopped = true;
    this.cancel();
  }

  private renewIn(delayMs: number): void {
    this.cancel();
    if (this.isStopped) return;
    this.cancel = this.clock.after(delayMs, () => {
      this.renewAll();
    });
  }

  private renewAll(): void {
    const { clock, times } = this;
    const tenures = this.tenures();
    const requestedMs = clock.nowMs();
    this.renewIn(tenures.length === 0 ? times.beatMs : times.retryMs);
    if (tenures.length === 0) return;
    this.renew(tenures, requestedMs + times.leaseMs).then(
      () => {
        this.renewIn(requestedMs + times.beatMs - clock.nowMs());
      },
      (error: unknown) => {
        const partitions = tenures.map(({ grant }) => grant.partition);
        this.onError(
          new RouterFault(
            'leases of partitions cannot be renewed in PostgreSQL; trying again, and giving them up when they expire',
            { partitions },
            error,
          ),
        );
        this.renewIn(times.retryMs);
      },
    );
  }

  private async renew(tenures: readonly Tenure[], untilMs: number): Promise<void> {
    const kept = new Set(await this.store.renew(tenures.map(({ grant }) => grant)));
    for (const tenure of tenures)
      if (kept.has(tenure.grant.partition)) tenure.extend(untilMs);
      else tenure.lose();
  }
}
