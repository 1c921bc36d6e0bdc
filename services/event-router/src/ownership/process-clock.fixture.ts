import { Clock } from '../time/clock';

/** The clock of one process: its own zero, and a life that can be frozen or ended. */
export class ProcessClock extends Clock {
  private held: (() => void)[] | undefined;
  private isDead = false;

  constructor(
    private readonly world: Clock,
    private readonly offsetMs: number,
  ) {
    super();
  }

  get isFrozen(): boolean {
    return this.held !== undefined;
  }

  override nowMs(): number {
    return this.world.nowMs() + this.offsetMs;
  }

  override wallMs(): number {
    return this.world.wallMs();
  }

  override after(delayMs: number, work: () => void): () => void {
    let isCancelled = false;
    const cancel = this.world.after(delayMs, () => {
      this.enter(() => {
        if (!isCancelled) work();
      });
    });
    return () => {
      isCancelled = true;
      cancel();
    };
  }

  override soon(work: () => void): void {
    this.world.soon(() => {
      this.enter(work);
    });
  }

  sleep(durationMs: number): Promise<void> {
    return new Promise((resolve) => void this.after(durationMs, resolve));
  }

  /** Something comes in from outside: it waits while the process is frozen. */
  enter(work: () => void): void {
    if (this.isDead) return;
    if (this.held === undefined) work();
    else this.held.push(work);
  }

  freeze(): void {
    this.held ??= [];
  }

  /** @param isLastFirst in which order it finds what has come in meanwhile. */
  thaw(isLastFirst: boolean): void {
    const { held } = this;
    if (held === undefined || this.isDead) return;
    if (isLastFirst) held.reverse();
    const next = (): void => {
      const work = held.shift();
      if (work === undefined) this.held = undefined;
      else work();
      if (work !== undefined) this.world.after(0, next);
    };
    next();
  }

  die(): void {
    this.isDead = true;
  }
}
