import type { Roll } from '../store/router-store';
import type { Clock } from '../time/clock';
import { within } from '../time/within';
import type { LeaseStore } from './lease-store';
import type { OwnershipTimes } from './ownership-options';
import { RouterFault } from '../faults/router-fault';

/** Records periodically that this member is alive, and passes on the roll of all live members. */
export class RollCall {
  private partitions = 0;
  private dueMs = Infinity;
  private cancel: () => void = () => undefined;
  private calling: Promise<void> | undefined;
  private isStopped = false;

  /** @param onRoll called with each roll; returns the milliseconds within which it wants another. */
  constructor(
    private readonly store: LeaseStore,
    private readonly clock: Clock,
    private readonly times: OwnershipTimes,
    private readonly onRoll: (roll: Roll) => number,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** @param partitions their number. */
  start(partitions: number): void {
    this.partitions = partitions;
    this.lookWithin(0);
  }

  /** Calls the roll within the time, or earlier when it is due earlier. */
  lookWithin(delayMs: number): void {
    const dueMs = this.clock.nowMs() + delayMs;
    if (dueMs >= this.dueMs) return;
    this.dueMs = dueMs;
    if (this.calling === undefined) this.watch();
  }

  /** Passes on no further roll. Resolves when no call is under way that could enter this member in the roll again. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.cancel();
    await this.calling;
  }

  private watch(): void {
    this.cancel();
    if (this.isStopped || this.dueMs === Infinity) return;
    this.cancel = this.clock.after(this.dueMs - this.clock.nowMs(), () => {
      this.dueMs = Infinity;
      this.calling = this.call().then(() => {
        this.calling = undefined;
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
      this.onError(
        new RouterFault(
          'the list of routers cannot be read from PostgreSQL, so that partitions are not shared anew; trying again',
          {},
          error,
        ),
      );
      this.lookWithin(times.retryMs);
    }
  }
}
