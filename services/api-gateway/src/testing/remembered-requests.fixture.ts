import type { BeginRequest, Begun, EndRequest, Sealed } from '@penstock/contracts';

interface Remembered {
  readonly digest: string;
  readonly holder: string;
  isHeld: boolean;
  answer: Sealed | null;
}

/** The state of requests with an Idempotency-Key as the pipeline service stores it, in memory and without expiry. */
export class RememberedRequests {
  private readonly requests = new Map<string, Remembered>();

  begin({ key, digest, holder }: BeginRequest): Begun {
    const known = this.requests.get(key);
    if (known !== undefined && known.digest !== digest) return { is: 'another' };
    if (known?.isHeld === true) return { is: 'underWay' };
    if (known !== undefined && known.answer !== null)
      return { is: 'answered', answer: known.answer };
    const first = known?.holder ?? holder;
    this.requests.set(key, { digest, holder: first, isHeld: true, answer: null });
    return { is: 'first', commandId: first };
  }

  end({ key, answer }: EndRequest): Record<never, never> {
    const known = this.requests.get(key);
    if (known !== undefined) Object.assign(known, { isHeld: false, answer });
    return {};
  }
}
