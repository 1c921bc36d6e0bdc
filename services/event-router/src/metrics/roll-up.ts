import type { RouterStore } from '../store/router-store';
import type { Clock } from '../time/clock';

/** Rows of each kind that one transaction merges: some tenths of a second. */
const ROWS = 5_000;

/** Merges counts of past minutes into longer periods, in slices, and rests between two as long as one takes. */
export class RollUp {
  private running: Promise<void> | undefined;
  private isStopped = false;

  constructor(
    private readonly store: Pick<RouterStore, 'rollUp'>,
    private readonly clock: Clock,
  ) {}

  /** Merges all that is due; one call at a time does. Rejects while the database is unavailable. */
  run(): Promise<void> {
    this.running ??= this.merge().finally(() => (this.running = undefined));
    return this.running;
  }

  /** Resolves when no slice is under way; none begins any more. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await this.running?.catch(() => undefined);
  }

  private async merge(): Promise<void> {
    while (!this.isStopped) {
      const fromMs = this.clock.nowMs();
      if (!(await this.store.rollUp(ROWS))) return;
      const tookMs = this.clock.nowMs() - fromMs;
      await new Promise<void>((resolve) => this.clock.after(tookMs, resolve));
    }
  }
}
