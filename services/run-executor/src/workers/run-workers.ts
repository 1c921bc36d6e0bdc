import type { CancelReason, RunId } from '@penstock/contracts';
import type { RunStore } from '../store/run-store';
import { RunWork, type RunWorkDependencies } from './run-work';

/** Claims runs as long as there is a place, and performs them. */
export class RunWorkers {
  private readonly works = new Map<RunId, RunWork>();
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> | undefined;
  private isStopped = false;
  private isWanted = false;

  constructor(
    private readonly worker: string,
    private readonly store: Pick<RunStore, 'claim'>,
    private readonly deps: RunWorkDependencies,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** Runs that are performed here now. */
  get count(): number {
    return this.works.size;
  }

  start(): void {
    this.timer = setInterval(() => {
      this.look();
    }, this.deps.options.lookMs);
    this.look();
  }

  /** Looks for a run now. */
  look(): void {
    this.isWanted = true;
    this.looking ??= this.claimAll().finally(() => (this.looking = undefined));
  }

  /** Ends a run that is performed here as cancelled. */
  cancel(run: RunId, reason: CancelReason): void {
    this.works.get(run)?.cancel(reason);
  }

  /** Claims nothing more, and gives back what is performed here. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearInterval(this.timer);
    await this.looking;
    for (const work of this.works.values()) work.stop();
    const late = new Promise<void>((resolve) => {
      setTimeout(resolve, this.deps.options.stopMs).unref();
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
    return !this.isStopped && this.works.size < this.deps.options.places;
  }

  /** @returns whether there was one. */
  private async claimOne(): Promise<boolean> {
    const heldFromMs = performance.now();
    const claimed = await this.store.claim(this.worker);
    if (claimed === undefined) return false;
    const work = new RunWork(claimed, this.deps, heldFromMs);
    this.works.set(claimed.run, work);
    void work.done.then(() => {
      if (this.works.get(claimed.run) === work) this.works.delete(claimed.run);
      this.look();
    });
    return true;
  }
}
