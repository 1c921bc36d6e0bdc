import { setTimeout as pause } from 'node:timers/promises';
import type { Rate, TokensGiven, TokensWanted } from './shared-rates';

/** Takes tokens of a rate. */
export type TakeTokens = (wanted: TokensWanted) => Promise<TokensGiven>;

type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

const waitFor: Wait = async (ms, signal) => {
  await pause(ms, undefined, { signal }).catch(() => undefined);
  signal.throwIfAborted();
};

/** Makes requests keep to rates, which all processes share. */
export class Pace {
  constructor(
    private readonly rates: readonly Rate[],
    private readonly take: TakeTokens,
    private readonly wait: Wait = waitFor,
  ) {}

  /** Waits until the next request may be made. Rejects with the signal's reason, or as {@link TakeTokens} does. */
  async turn(signal: AbortSignal): Promise<void> {
    for (const rate of this.rates) await this.turnOf(rate, signal);
  }

  private async turnOf(rate: Rate, signal: AbortSignal): Promise<void> {
    for (;;) {
      const { count, waitMs } = await this.take({ ...rate, count: 1 });
      signal.throwIfAborted();
      if (count > 0) return;
      await this.wait(waitMs, signal);
    }
  }
}
