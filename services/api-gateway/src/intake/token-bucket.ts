/** How many events a workspace may send. */
export interface EventRate {
  /** Events a second in the long run. */
  readonly perSecond: number;
  /** Events at once after a pause. */
  readonly burst: number;
}

interface Bucket {
  tokens: number;
  filledAtMs: number;
}

/**
 * A token bucket per workspace. A request is let in while tokens are left and takes as many as it has events,
 * even into debt: so a batch greater than the burst can be sent at all.
 */
export class TokenBuckets {
  private readonly buckets = new Map<string, Bucket>();

  constructor(private readonly rate: EventRate) {}

  /** @returns undefined when the request may come in, else the headers that tell its sender when it may. */
  take(
    workspace: string,
    events: number,
    nowMs: number,
  ): Readonly<Record<string, string>> | undefined {
    const bucket = this.filled(workspace, nowMs);
    if (bucket.tokens > 0) {
      bucket.tokens -= events;
      return undefined;
    }
    const waitSeconds = String(Math.max(1, Math.ceil((1 - bucket.tokens) / this.rate.perSecond)));
    return {
      'Retry-After': waitSeconds,
      'RateLimit-Limit': String(this.rate.burst),
      'RateLimit-Remaining': '0',
      'RateLimit-Reset': waitSeconds,
    };
  }

  private filled(workspace: string, nowMs: number): Bucket {
    const { perSecond, burst } = this.rate;
    const bucket = this.buckets.get(workspace) ?? { tokens: burst, filledAtMs: nowMs };
    const earned = (Math.max(0, nowMs - bucket.filledAtMs) / 1000) * perSecond;
    bucket.tokens = Math.min(burst, bucket.tokens + earned);
    bucket.filledAtMs = nowMs;
    this.buckets.set(workspace, bucket);
    return bucket;
  }
}
