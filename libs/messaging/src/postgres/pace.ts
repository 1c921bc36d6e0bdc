/** Over how long the rate is taken, in milliseconds. */
const WINDOW_MS = 100;

export interface PaceOptions {
  /** From so many triggers a second on, rounds gather; a trigger is what would begin a round of its own. */
  readonly fromPerSecond: number;
  /** Milliseconds from the beginning of a round to that of the next while they gather. */
  readonly gatherMs: number;
  /** When this many things wait, the next round begins at once. */
  readonly enough: number;
  /**
   * When nothing has come for this many milliseconds, the next round begins: those who bring things may be waiting for the
   * round themselves. Default: it makes no difference.
   */
  readonly quietMs?: number;
  /** The monotonic clock, in milliseconds. */
  readonly now?: () => number;
}

/**
 * When a round of work may begin that costs nearly the same for one thing as for many: at once while there are few
 * triggers, spaced out while there are many. A thousand things that come together are one trigger.
 */
export class Pace {
  /** Triggers of the last rounds, each the less the longer ago. */
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
   * Resolves when the next round may begin, which it is taken to do then.
   *
   * @param waiting how many things it would have now.
   */
  async begin(waiting: number): Promise<void> {
    const { restMs } = this;
    if (restMs > 0 && waiting < this.options.enough) await this.rest(restMs);
    this.beganMs = this.now();
  }

  /** Whether a round is being put off for more to come. */
  get isGathering(): boolean {
    return this.proceed !== undefined;
  }

  /** So many things wait now: a round that is being put off begins when they are enough. */
  came(waiting: number): void {
    if (waiting >= this.options.enough) this.proceed?.();
    else this.quiet?.refresh();
  }

  /** A round had so many triggers. */
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
