import { Clock } from '../time/clock';

/** The clock of one process, with an offset of its own; the process can be frozen and killed. */
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

  /** Runs work that comes from outside; it waits while the process is frozen and is dropped when it is dead. */
  enter(work: () => void): void {
    if (this.isDead) return;
    if (this.held === undefined) work();
    else this.held.push(work);
  }

  freeze(): void {
    this.held ??= [];
  }

  /** Runs the waiting work. @param isLastFirst whether the newest runs first. */
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
