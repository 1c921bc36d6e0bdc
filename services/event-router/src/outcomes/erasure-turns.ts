/** When everything that is kept is to be looked at for users who are suppressed. */
export interface ErasureTimes {
  /** Position of the newest change of suppressions. */
  readonly suppressedFrom: () => number;
  /** Milliseconds of the monotonic clock. */
  readonly nowMs: () => number;
  /** Time after which nothing is written any more that was begun before a suppression. */
  readonly settledMs: number;
}

/**
 * Erases after each change of suppressions, and once more later, until each of both has succeeded. After a failure it begins
 * anew: what could not be written meanwhile is written late too.
 */
export class ErasureTurns {
  private doneFor = 0;
  private againAtMs = Infinity;
  private running: Promise<void> | undefined;

  /** @param eraseAll looks at everything that is kept. */
  constructor(
    private readonly times: ErasureTimes,
    private readonly eraseAll: () => Promise<void>,
  ) {}

  /** Call it periodically. Rejects with what `eraseAll` does. */
  run(): Promise<void> {
    this.running ??= this.eraseDue().finally(() => (this.running = undefined));
    return this.running;
  }

  private async eraseDue(): Promise<void> {
    const { nowMs, settledMs } = this.times;
    const suppressedFrom = this.times.suppressedFrom();
    const isFirst = suppressedFrom > this.doneFor;
    const beganMs = nowMs();
    if (!isFirst && beganMs < this.againAtMs) return;
    this.doneFor = -1;
    await this.eraseAll();
    this.doneFor = suppressedFrom;
    this.againAtMs = isFirst ? beganMs + settledMs : Infinity;
  }
}
