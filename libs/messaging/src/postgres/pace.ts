/** Time constant of the measured rate, in milliseconds. */
const WINDOW_MS = 100;

export interface PaceOptions {
  /**
   * Rate of triggers per second from which rounds gather; a trigger is an event that would begin a round of its own.
   */
  readonly fromPerSecond: number;
  /** Milliseconds between the starts of two rounds while they gather. */
  readonly gatherMs: number;
  /** When this many items wait, the next round begins at once. */
  readonly enough: number;
  /**
   * When nothing has arrived for this many milliseconds, the next round begins: its senders may be waiting for the
   * round. Default: no such limit.
   */
  readonly quietMs?: number;
  /** The monotonic clock, in milliseconds. */
  readonly now?: () => number;
}

/**
 * Decides when a round of work may begin that costs nearly the same for one item as for many: at once while there are
 * few triggers, spaced while there are many. A thousand items that arrive together are one trigger.
 */
export class Pace {
  /** Triggers of recent rounds, exponentially decayed. */
  private recent = 0;
  private notedMs = 0;
  private beganMs = -Infinity;
  private proceed: (() => void) | undefined;
  private quiet: NodeJS.Timeout | undefined;
  private readonly now: () => number;

  constructor(private readonly options: PaceOptions) {
    this.now = options.now ?? (() => performance.now());
  }

  /**
   * Resolves when the next round may begin; the caller must begin it then.
   *
   * @param waiting number of items that it would have now.
   */
  async begin(waiting: number): Promise<void> {
    const { restMs } = this;
    if (restMs > 0 && waiting < this.options.enough) await this.rest(restMs);
    this.beganMs = this.now();
  }

  /** Whether a round is being delayed to gather more. */
  get isGathering(): boolean {
    return this.proceed !== undefined;
  }

  /** Reports the number of waiting items: a delayed round begins when they are enough. */
  came(waiting: number): void {
    if (waiting >= this.options.enough) this.proceed?.();
    else this.quiet?.refresh();
  }

  /** Reports the triggers of a round. */
  note(triggers: number): void {
    this.recent = this.faded + triggers;
    this.notedMs = this.now();
  }

  /** Milliseconds until the next round may begin; 0 or less: now. */
  get restMs(): number {
    const { fromPerSecond, gatherMs } = this.options;
    const isBusy = this.faded >= (fromPerSecond * WINDOW_MS) / 1_000;
    return isBusy ? this.beganMs + gatherMs - this.now() : 0;
  }

  private async rest(ms: number): Promise<void> {
    const { quietMs = ms } = this.options;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.proceed = resolve;
      timer = setTimeout(resolve, ms);
      if (quietMs < ms) this.quiet = setTimeout(resolve, quietMs);
    });
    clearTimeout(timer);
    clearTimeout(this.quiet);
    this.proceed = undefined;
    this.quiet = undefined;
  }

  private get faded(): number {
    return this.recent * Math.exp((this.notedMs - this.now()) / WINDOW_MS);
  }
}
