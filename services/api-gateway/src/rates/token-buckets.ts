/** How often something may be done. */
export interface Rate {
  /** Times a second in the long run. */
  readonly perSecond: number;
  /** Times at once after a pause. */
  readonly burst: number;
}

/** What became of one who asked to be let in. */
export interface Admission {
  readonly isLetIn: boolean;
  readonly burst: number;
  /** What may still be done at once. */
  readonly remaining: number;
  /** Whole seconds until more may be done: all of the burst, or, for one who was not let in, anything. */
  readonly waitSeconds: number;
}

interface Bucket {
  tokens: number;
  filledAtMs: number;
}

/**
 * A token bucket for each owner. A request is let in while a whole token is left and takes as many as it costs, even
 * into debt: so one that costs more than the burst can be made at all.
 */
export class TokenBuckets {
  private readonly buckets = new Map<string, Bucket>();

  constructor(private readonly rate: Rate) {}

  /** Takes nothing from one who is not let in. */
  take(owner: string, cost: number, nowMs: number): Admission {
    const { perSecond, burst } = this.rate;
    const bucket = this.filled(owner, nowMs);
    const isLetIn = bucket.tokens >= 1;
    if (isLetIn) bucket.tokens -= cost;
    const missing = isLetIn ? burst - bucket.tokens : 1 - bucket.tokens;
    return {
      isLetIn,
      burst,
      remaining: Math.max(0, Math.floor(bucket.tokens)),
      waitSeconds: Math.max(1, Math.ceil(missing / perSecond)),
    };
  }

  private filled(owner: string, nowMs: number): Bucket {
    const { perSecond, burst } = this.rate;
    const bucket = this.buckets.get(owner) ?? { tokens: burst, filledAtMs: nowMs };
    const earned = (Math.max(0, nowMs - bucket.filledAtMs) / 1000) * perSecond;
    bucket.tokens = Math.min(burst, bucket.tokens + earned);
    bucket.filledAtMs = nowMs;
    this.buckets.set(owner, bucket);
    return bucket;
  }
}
