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

/** Buckets that are looked at for each that is used, so that more are forgotten than are made. */
const LOOKED_AT = 2;

/**
 * A token bucket for each owner. A request is admitted while a whole token is left and takes as many as it costs, even
 * into debt, so that one which costs more than the burst is possible. A bucket that is full again is forgotten: it is like a
 * new one.
 */
export class TokenBuckets {
  private readonly buckets = new Map<string, Bucket>();

  constructor(private readonly rate: Rate) {}

  /** Takes `cost` tokens, or none when not admitted. */
  take(owner: string, cost: number, nowMs: number): Admission {
    const { perSecond, burst } = this.rate;
    this.forgetFull(nowMs);
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

  /** How many owners are remembered. */
  get size(): number {
    return this.buckets.size;
  }

  private filled(owner: string, nowMs: number): Bucket {
    const bucket = this.buckets.get(owner) ?? { tokens: this.rate.burst, filledAtMs: nowMs };
    bucket.tokens = this.tokensOf(bucket, nowMs);
    bucket.filledAtMs = nowMs;
    this.buckets.set(owner, bucket);
    return bucket;
  }

  private tokensOf({ tokens, filledAtMs }: Bucket, nowMs: number): number {
    const earned = (Math.max(0, nowMs - filledAtMs) / 1000) * this.rate.perSecond;
    return Math.min(this.rate.burst, tokens + earned);
  }

  /** Looks at some of them, in a circle. */
  private forgetFull(nowMs: number): void {
    const next = this.buckets.entries();
    for (let looked = 0; looked < LOOKED_AT; looked += 1) {
      const { value } = next.next();
      if (value === undefined) return;
      const [owner, bucket] = value;
      this.buckets.delete(owner);
      if (this.tokensOf(bucket, nowMs) < this.rate.burst) this.buckets.set(owner, bucket);
    }
  }
}
