import type { SendLimits } from '@penstock/connectors';
import type { KeyQueue } from '../lanes/key-queue';
import type { Clock } from '../time/clock';

/** How long a request that has room for more events waits for them. */
export class Linger {
  private sinceMs: number | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly lingerMs: number,
  ) {}

  /** Milliseconds until the next request may begin, as far as it has to be filled. */
  waitMs(ready: readonly KeyQueue[], { maxEvents }: SendLimits): number {
    if (maxEvents === 1 || ready.length === 0) return 0;
    this.sinceMs ??= this.clock.nowMs();
    let count = 0;
    for (const key of ready) {
      count += Math.max(1, key.front.length);
      if (count >= maxEvents) return 0;
    }
    return Math.max(0, this.sinceMs + this.lingerMs - this.clock.nowMs());
  }

  /** A request was made up: what is left waits anew. */
  begun(): void {
    this.sinceMs = undefined;
  }
}
