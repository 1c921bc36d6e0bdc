import type { TokensGiven, TokensWanted } from '@penstock/rates';
import type { SendLimits } from '@penstock/connectors';
import type { RateId } from '../store/lane-id';
import type { Clock } from '../time/clock';
import { RouterFault } from '../faults/router-fault';

/** Unused tokens expire after this time. */
const KEPT_MS = 1_000;
/** A process takes at most the tokens of a quarter of a second at a time. */
const SHARE = 0.25;
const RETRY_MS = 500;

export interface SharedRateContext {
  readonly clock: Clock;
  readonly takeTokens: (wanted: TokensWanted) => Promise<TokensGiven>;
  readonly onTokens: () => void;
  readonly onError: (error: unknown) => void;
}

/** The rate limit of a connection, which all processes share: each takes tokens from the store ahead of requests. */
export class SharedRate {
  private tokens = 0;
  private untilMs = 0;
  private retryAtMs = 0;
  private isTaking = false;

  constructor(
    private readonly id: RateId,
    private readonly context: SharedRateContext,
  ) {}

  /**
   * Takes a token for one request.
   *
   * @returns milliseconds to wait first; 0: the token is taken; Infinity: `onTokens` will be called.
   */
  take({ ratePerSecond, burst }: SendLimits, factor: number): number {
    if (ratePerSecond === undefined) return 0;
    const nowMs = this.context.clock.nowMs();
    if (this.tokens > 0 && nowMs < this.untilMs) {
      this.tokens -= 1;
      return 0;
    }
    if (this.isTaking) return Infinity;
    if (nowMs < this.retryAtMs) return this.retryAtMs - nowMs;
    const rate = ratePerSecond * factor;
    void this.takeFromStore(rate, burst ?? Math.max(1, ratePerSecond));
    return Infinity;
  }

  /** Returns the token that was taken last: no request was made. */
  giveBack(): void {
    this.tokens += 1;
  }

  private async takeFromStore(ratePerSecond: number, burst: number): Promise<void> {
    const { clock, takeTokens, onError, onTokens } = this.context;
    this.isTaking = true;
    const startMs = clock.nowMs();
    try {
      const count = Math.max(1, Math.floor(ratePerSecond * SHARE));
      const given = await takeTokens({ rate: this.id, ratePerSecond, burst, count });
      this.tokens = given.count;
      this.untilMs = startMs + KEPT_MS;
      this.retryAtMs = given.count > 0 ? 0 : clock.nowMs() + Math.max(1, given.waitMs);
    } catch (error) {
      onError(
        new RouterFault(
          'the rate limit of a connection cannot be read from PostgreSQL: its deliveries wait; trying again',
          { rate: this.id },
          error,
        ),
      );
      this.retryAtMs = clock.nowMs() + RETRY_MS;
    }
    this.isTaking = false;
    onTokens();
  }
}
