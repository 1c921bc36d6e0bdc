import type { RoutingReplica } from '@penstock/contracts';
import type { StampBeyondEnd } from './stamp-beyond-end';

/** How far the configuration is known, and what counts for events that name a position beyond its end. */
export class Stamps {
  /** The highest stamp that was compared with the end of the log. */
  private checked = 0;

  constructor(
    private readonly replica: RoutingReplica,
    private readonly caughtUp: () => Promise<void>,
    private readonly onBeyondEnd: (alarm: StampBeyondEnd) => void,
  ) {}

  /**
   * The position that counts: a stamp beyond the end of the log counts as that end.
   *
   * @throws Error when it was not waited for.
   */
  positionOf(seen: number): number {
    const { settled } = this.replica.history;
    if (seen <= settled) return seen;
    if (seen <= this.checked) return settled;
    throw new Error(`position ${String(seen)} of the configuration was not waited for`);
  }

  /**
   * Resolves when everything up to the stamp, or to the end of the log, has been taken. A gateway has read what it stamps
   * from the log, so whoever reads to the end of the log after the event has been read has read that too, unless it is gone.
   */
  async know(seen: number): Promise<void> {
    if (seen <= this.replica.history.settled) return;
    await this.caughtUp();
    this.replica.settle();
    const { seen: end } = this.replica;
    if (seen > end && seen > this.checked) this.onBeyondEnd({ seen, end });
    this.checked = Math.max(this.checked, seen);
  }
}
