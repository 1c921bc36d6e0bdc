import type { ExecutorOptions } from './executor-options';

/** Something that was claimed, as this process performs it. */
export interface Work<Key> {
  readonly key: Key;
  /** Resolves when nothing is done for it here any more. Never rejects. */
  readonly done: Promise<void>;
  /** Drops what is in progress and gives it back. */
  stop(): void;
}

/** Claims work as long as there is a place, and performs it. */
export class Workers<Key, Claimed extends Work<Key>> {
  private readonly works = new Map<Key, Claimed>();
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> | undefined;
  private isStopped = false;
  private isWanted = false;

  constructor(
    /** @param heldFromMs of `performance.now()`, before the claim is asked for. */
    private readonly claim: (heldFromMs: number) => Promise<Claimed | undefined>,
    private readonly options: Pick<ExecutorOptions, 'places' | 'lookMs' | 'stopMs'>,
    private readonly onError: (error: unknown) => void,
  ) {}

  start(): void {
    this.timer = setInterval(() => {
      this.look();
    }, this.options.lookMs);
    this.look();
  }

  /** Looks for work now. */
  look(): void {
    this.isWanted = true;
    this.looking ??= this.claimAll().finally(() => (this.looking = undefined));
  }

  /** @returns undefined when it is not performed here. */
  of(key: Key): Claimed | undefined {
    return this.works.get(key);
  }

  /** Claims nothing more, and gives back what is performed here. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearInterval(this.timer);
    await this.looking;
    for (const work of this.works.values()) work.stop();
    const late = new Promise<void>((resolve) => {
      setTimeout(resolve, this.options.stopMs).unref();
    });
    const all = Promise.all(Array.from(this.works.values(), ({ done }) => done));
    await Promise.race([all, late]);
  }

  private async claimAll(): Promise<void> {
    while (this.isWanted && !this.isStopped) {
      this.isWanted = false;
      try {
        while (this.hasPlace()) if (!(await this.claimOne())) break;
      } catch (error) {
        this.onError(error);
      }
    }
  }

  private hasPlace(): boolean {
    return !this.isStopped && this.works.size < this.options.places;
  }

  /** @returns whether there was something. */
  private async claimOne(): Promise<boolean> {
    const work = await this.claim(performance.now());
    if (work === undefined) return false;
    this.works.set(work.key, work);
    void work.done.then(() => {
      if (this.works.get(work.key) === work) this.works.delete(work.key);
      this.look();
    });
    return true;
  }
}
