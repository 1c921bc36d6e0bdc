import { performance } from 'node:perf_hooks';
import type { LeaseGrant, RouterStore } from '../store/router-store';

interface Held {
  readonly grant: LeaseGrant;
  /** By the monotonic clock: counted from before the renewal was asked for. */
  untilMs: number;
}

/** The leases that this process holds, renewed three times in their life. */
export class Leases {
  private readonly held = new Map<number, Held>();
  private timer: NodeJS.Timeout | undefined;
  private renewing: Promise<void> = Promise.resolve();

  constructor(
    private readonly store: RouterStore,
    private readonly leaseMs: number,
    private readonly onLost: (partition: number) => void,
    private readonly onError: (error: unknown) => void,
  ) {}

  start(): void {
    this.timer = setInterval(() => {
      this.renewing = this.renewing.then(() => this.renew()).catch(this.onError);
    }, this.leaseMs / 3);
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.renewing;
  }

  /** Whether a request may begin now. */
  holds(partition: number): boolean {
    return performance.now() < (this.held.get(partition)?.untilMs ?? 0);
  }

  /** @returns the grants of those partitions that could be taken. */
  async acquire(partitions: readonly number[]): Promise<readonly LeaseGrant[]> {
    const askedMs = performance.now();
    const grants = await this.store.acquire(partitions);
    for (const grant of grants)
      this.held.set(grant.partition, { grant, untilMs: askedMs + this.leaseMs });
    return grants;
  }

  async release(partition: number): Promise<void> {
    const held = this.held.get(partition);
    if (held === undefined) return;
    await this.store.release([held.grant]);
    this.held.delete(partition);
  }

  /** The lease is given up without telling: a successor waits until the last request must have ended. */
  forget(partition: number): void {
    this.held.delete(partition);
  }

  private async renew(): Promise<void> {
    const asked = [...this.held.values()];
    if (asked.length === 0) return;
    const askedMs = performance.now();
    const kept = new Set(await this.store.renew(asked.map(({ grant }) => grant)));
    for (const held of asked) {
      const { partition } = held.grant;
      if (kept.has(partition)) held.untilMs = askedMs + this.leaseMs;
      else if (this.held.get(partition) === held) {
        this.held.delete(partition);
        this.onLost(partition);
      }
    }
  }
}
