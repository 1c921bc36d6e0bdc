import type { SendLimits } from '@penstock/connectors';
import type { KeyQueue } from '../lanes/key-queue';
import type { Clock } from '../time/clock';

/** Delays a request that is not full, to wait for more events. */
export class Linger {
  private sinceMs: number | undefined;

  constructor(
    private readonly clock: Clock,
    /** Milliseconds of the longest wait. */
    public forMs: number,
  ) {}

  /** Milliseconds that the next request should wait for more events; 0: it is full or has waited long enough. */
  waitMs(ready: readonly KeyQueue[], { maxEvents }: SendLimits): number {
    if (maxEvents === 1 || ready.length === 0) return 0;
    this.sinceMs ??= this.clock.nowMs();
    let count = 0;
    for (const key of ready) {
      count += Math.max(1, key.front.length);
      if (count >= maxEvents) return 0;
    }
    return Math.max(0, this.sinceMs + this.forMs - this.clock.nowMs());
  }

  /** Call it when a request was built: the wait starts again for the remaining deliveries. */
  begun(): void {
    this.sinceMs = undefined;
  }
}
