import { type Admission, type Rate, TokenBuckets } from './token-buckets';

export interface ApiRate {
  readonly key: Rate;
  readonly organization: Rate;
}

/** Default burst: this many seconds of the rate. */
export const BURST_SECONDS = 10;

/** Default rates. They exceed the usual load of a gateway, and keep one key from using all of its capacity. */
export const API_RATE: ApiRate = {
  key: { perSecond: 1_000, burst: 1_000 * BURST_SECONDS },
  organization: { perSecond: 2_000, burst: 2_000 * BURST_SECONDS },
};

/** Limits the requests to the API, of each key and of all keys of an organization. */
export class ApiRates {
  private readonly keys: TokenBuckets;
  private readonly organizations: TokenBuckets;

  constructor({ key, organization }: ApiRate) {
    this.keys = new TokenBuckets(key);
    this.organizations = new TokenBuckets(organization);
  }

  /** Takes one request. @returns the more restrictive admission: the key's or its organization's. */
  take(key: string, organization: string, nowMs: number): Admission {
    const own = this.keys.take(key, 1, nowMs);
    if (!own.isLetIn) return own;
    const all = this.organizations.take(organization, 1, nowMs);
    return !all.isLetIn || all.remaining < own.remaining ? all : own;
  }
}
