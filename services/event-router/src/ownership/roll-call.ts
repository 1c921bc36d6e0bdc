import type { Roll } from '../store/router-store';
import type { Clock } from '../time/clock';
import { within } from '../time/within';
import type { LeaseStore } from './lease-store';
import type { OwnershipTimes } from './ownership-options';

/** Says again and again that this member lives, and passes on who else does. */
export class RollCall {
  private partitions = 0;
  private dueMs = Infinity;
  private cancel: () => void = () => undefined;
  private asking: Promise<void> | undefined;
  private isStopped = false;

  /** @param onRoll is given each roll; returns in how many milliseconds it wants another, at the latest. */
  constructor(
    private readonly store: LeaseStore,
    private readonly clock: Clock,
    private readonly times: OwnershipTimes,
    private readonly onRoll: (roll: Roll) => number,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** @param partitions how many there are. */
  start(partitions: number): void {
    this.partitions = partitions;
    this.lookWithin(0);
  }

  /** The next roll is called within the time. */
  lookWithin(delayMs: number): void {
    const dueMs = this.clock.nowMs() + delayMs;
    if (dueMs >= this.dueMs) return;
    this.dueMs = dueMs;
    if (this.asking === undefined) this.watch();
  }

  /** No roll is passed on any more. Resolves when no call is under way that could say that this member lives. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.cancel();
    await this.asking;
  }

  private watch(): void {
    this.cancel();
    if (this.isStopped || this.dueMs === Infinity) return;
    this.cancel = this.clock.after(this.dueMs - this.clock.nowMs(), () => {
      this.dueMs = Infinity;
      this.asking = this.call().then(() => {
        this.asking = undefined;
        this.watch();
      });
    });
  }

  private async call(): Promise<void> {
    const { clock, times } = this;
    try {
      const roll = await within(clock, times.beatMs, this.store.beat(this.partitions));
      if (!this.isStopped) this.lookWithin(this.onRoll(roll));
    } catch (error) {
      this.onError(error);
      this.lookWithin(times.retryMs);
    }
  }
}
