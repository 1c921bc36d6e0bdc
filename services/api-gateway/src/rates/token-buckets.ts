/** Limits how often something may be done. */
export interface Rate {
  /** Sustained rate per second. */
  readonly perSecond: number;
  /** Maximal number at once after a pause. */
  readonly burst: number;
}

/** Result of a request for admission. */
export interface Admission {
  readonly isLetIn: boolean;
  readonly burst: number;
  /** Number that may still be done at once. */
  readonly remaining: number;
  /** Whole seconds until the burst is full again or, when not admitted, until one more is admitted. */
  readonly waitSeconds: number;
}

interface Bucket {
  tokens: number;
  filledAtMs: number;
}

/**
 * A token bucket for each owner. A request is admitted while a whole token is left and takes as many as it costs, even
 * into debt, so that one which costs more than the burst is possible.
 */
export class TokenBuckets {
  private readonly buckets = new Map<string, Bucket>();

  constructor(private readonly rate: Rate) {}

  /** Takes `cost` tokens, or none when not admitted. */
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
