import { setImmediate as endOfTurn } from 'node:timers/promises';
import { within } from '../within';
import { pause } from './pause';

/** Longer than an election of a leader in a healthy cluster takes; whoever waits has a caller that waits. */
const TIMEOUT_MS = 1_000;

export interface EndLookupOptions {
  /** Asks the brokers. */
  readonly lookUp: (timeoutMs: number) => Promise<number>;
  /** How long an answer serves calls that come after it. 0: not at all. */
  readonly sharedForMs: number;
  /** The least time between the beginnings of two look-ups at present; what comes meanwhile shares the next. */
  readonly gapMs: () => number;
  readonly nowMs?: () => number;
}

/** Looks where a topic ends: one look-up serves all that wait when it begins, and one is under way at a time. */
export class EndLookup {
  private end = 0;
  private begunMs = -Infinity;
  private answeredMs = -Infinity;
  private running: Promise<unknown> = Promise.resolve();
  private next: Promise<number> | undefined;
  private readonly nowMs: () => number;

  constructor(private readonly options: EndLookupOptions) {
    this.nowMs = options.nowMs ?? (() => performance.now());
  }

  /**
   * The end as it was after this call was made, or at most `sharedForMs` before.
   *
   * @throws LogUnavailable when it could not be had within a second.
   */
  present(): Promise<number> {
    const isFresh = this.nowMs() - this.answeredMs < this.options.sharedForMs;
    return isFresh ? Promise.resolve(this.end) : (this.next ??= this.begin());
  }

  private begin(): Promise<number> {
    const next = within(TIMEOUT_MS, 'Kafka', this.lookUpAfter(this.running));
    next.catch(() => {
      if (this.next === next) this.next = undefined;
    });
    return next;
  }

  private async lookUpAfter(running: Promise<unknown>): Promise<number> {
    await Promise.all([running, endOfTurn()]);
    const restMs = this.begunMs + this.options.gapMs() - this.nowMs();
    if (restMs > 0) await pause(restMs);
    this.next = undefined;
    this.begunMs = this.nowMs();
    const { begunMs } = this;
    const answer = this.options.lookUp(TIMEOUT_MS);
    this.running = answer.catch(() => undefined);
    this.end = await answer;
    this.answeredMs = begunMs;
    return this.end;
  }
}
