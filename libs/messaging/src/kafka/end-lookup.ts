import { setImmediate as endOfTurn } from 'node:timers/promises';
import { within } from '../within';
import { pause } from './pause';

export interface EndLookupOptions {
  /** Requests the end from the brokers. */
  readonly lookUp: (timeoutMs: number) => Promise<number>;
  /** Time for which a result is reused for later calls. 0: not at all. */
  readonly sharedForMs: number;
  /** Time after which a look-up has failed. */
  readonly timeoutMs: number;
  /** Minimal time between the starts of two look-ups at present; calls meanwhile share the next. */
  readonly gapMs: () => number;
  readonly nowMs?: () => number;
}

/** Looks up the end of a topic: one look-up serves all callers that wait when it begins, and one runs at a time. */
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
   * Returns the end at a time after this call, or at most `sharedForMs` before.
   *
   * @throws LogUnavailable after `timeoutMs` without an answer.
   */
  present(): Promise<number> {
    const isFresh = this.nowMs() - this.answeredMs < this.options.sharedForMs;
    return isFresh ? Promise.resolve(this.end) : (this.next ??= this.begin());
  }

  private begin(): Promise<number> {
    const next = within(this.options.timeoutMs, 'Kafka', this.lookUpAfter(this.running));
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
    const answer = this.options.lookUp(this.options.timeoutMs);
    this.running = answer.catch(() => undefined);
    this.end = await answer;
    this.answeredMs = begunMs;
    return this.end;
  }
}
