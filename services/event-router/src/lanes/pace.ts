import type { SendLimits } from '@penstock/connectors';
import type { KeyQueue } from './key-queue';
import { TokenBucket } from './token-bucket';

/** When the next request of a lane may begin: it is full or has waited, and the destination's rate allows it. */
export class Pace {
  private sinceMs = 0;
  private bucket:
    | { readonly rate: number; readonly burst: number | undefined; readonly tokens: TokenBucket }
    | undefined;

  constructor(private readonly lingerMs: number) {}

  /** Events begin to wait for a request. */
  begin(): void {
    this.sinceMs = Date.now();
  }

  /** Milliseconds to wait; with 0 the request is counted as begun. */
  pauseMs(ready: readonly KeyQueue[], limits: SendLimits): number {
    return this.fillingMs(ready, limits) || this.rateMs(limits);
  }

  private fillingMs(ready: readonly KeyQueue[], { maxEvents }: SendLimits): number {
    if (maxEvents === 1) return 0;
    let count = 0;
    for (const key of ready) {
      count += key.front.length;
      if (count >= maxEvents) return 0;
    }
    return Math.max(0, this.sinceMs + this.lingerMs - Date.now());
  }

  private rateMs({ ratePerSecond: rate, burst }: SendLimits): number {
    if (rate === undefined) return 0;
    if (this.bucket?.rate !== rate || this.bucket.burst !== burst)
      this.bucket = { rate, burst, tokens: new TokenBucket(rate, burst) };
    return this.bucket.tokens.take();
  }
}
