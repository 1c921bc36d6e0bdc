import { LeaseLost } from '../engine/lease-lost';

/** How a claim is kept. All times in milliseconds. */
export interface LeaseOptions {
  readonly leaseMs: number;
  readonly renewMs: number;
  /** @returns whether the claim still holds, and then for another lease. */
  readonly renew: () => Promise<boolean>;
  /** Called once when the claim is lost, or may be by now. */
  readonly onLost: (error: LeaseLost) => void;
  /** Called with each failure to renew. */
  readonly onError: (error: unknown) => void;
}

/**
 * Renews a claim until it is stopped. By this process's clock, it counts from the moment before the database was asked: it
 * ends here no later than there.
 */
export class Lease {
  private heldFromMs: number;
  private timer: NodeJS.Timeout | undefined;
  private deadline: NodeJS.Timeout | undefined;
  private isOver = false;

  /** @param heldFromMs of `performance.now()`, before the claim was asked for. */
  constructor(
    private readonly options: LeaseOptions,
    heldFromMs: number,
  ) {
    this.heldFromMs = heldFromMs;
    this.watch();
    this.later();
  }

  /** Renews no more. */
  stop(): void {
    this.isOver = true;
    clearTimeout(this.timer);
    clearTimeout(this.deadline);
  }

  private watch(): void {
    clearTimeout(this.deadline);
    const leftMs = this.heldFromMs + this.options.leaseMs - performance.now();
    this.deadline = setTimeout(() => {
      this.lose(new LeaseLost('the lease of the run has lapsed'));
    }, leftMs);
  }

  private later(): void {
    this.timer = setTimeout(() => void this.renew(), this.options.renewMs);
  }

  private async renew(): Promise<void> {
    const askedMs = performance.now();
    try {
      const isHeld = await this.options.renew();
      if (this.isOver) return;
      if (!isHeld) {
        this.lose(new LeaseLost());
        return;
      }
      this.heldFromMs = askedMs;
      this.watch();
    } catch (error) {
      this.options.onError(error);
    }
    if (!this.isOver) this.later();
  }

  private lose(error: LeaseLost): void {
    if (this.isOver) return;
    this.stop();
    this.options.onLost(error);
  }
}
