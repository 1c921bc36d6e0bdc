import type { ConnectionId } from '@penstock/contracts';
import type { SendLimits } from '@penstock/connectors';
import type { TokensGiven, TokensWanted } from '../store/router-store';
import type { Clock } from '../time/clock';

/** Tokens are good for so long; then they are for other processes again. */
const KEPT_MS = 1_000;
/** A process takes a quarter of a second's worth at a time at most. */
const SHARE = 0.25;
const RETRY_MS = 500;

export interface SharedRateContext {
  readonly clock: Clock;
  readonly takeTokens: (wanted: TokensWanted) => Promise<TokensGiven>;
  readonly onTokens: () => void;
  readonly onError: (error: unknown) => void;
}

/** The rate of a connection, which all processes keep together: tokens are taken from the store ahead of requests. */
export class SharedRate {
  private tokens = 0;
  private untilMs = 0;
  private askAgainMs = 0;
  private isAsking = false;

  constructor(
    private readonly lane: ConnectionId,
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
    if (this.isAsking) return Infinity;
    if (nowMs < this.askAgainMs) return this.askAgainMs - nowMs;
    const rate = ratePerSecond * factor;
    void this.ask(rate, burst ?? Math.max(1, ratePerSecond));
    return Infinity;
  }

  private async ask(ratePerSecond: number, burst: number): Promise<void> {
    const { clock, takeTokens, onError, onTokens } = this.context;
    this.isAsking = true;
    const askedMs = clock.nowMs();
    try {
      const count = Math.max(1, Math.floor(ratePerSecond * SHARE));
      const given = await takeTokens({ lane: this.lane, ratePerSecond, burst, count });
      this.tokens = given.count;
      this.untilMs = askedMs + KEPT_MS;
      this.askAgainMs = given.count > 0 ? 0 : clock.nowMs() + Math.max(1, given.waitMs);
    } catch (error) {
      onError(error);
      this.askAgainMs = clock.nowMs() + RETRY_MS;
    }
    this.isAsking = false;
    onTokens();
  }
}
