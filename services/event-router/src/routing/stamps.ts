import type { RoutingReplica } from '@penstock/contracts';
import type { StampBeyondEnd } from './stamp-beyond-end';

/** Waits until stamped positions are known, and maps stamps beyond the end of the log to its end. */
export class Stamps {
  /** The highest stamp that was compared with the end of the log. */
  private checked = 0;

  constructor(
    private readonly replica: RoutingReplica,
    private readonly caughtUp: () => Promise<void>,
    private readonly onBeyondEnd: (alarm: StampBeyondEnd) => void,
  ) {}

  /**
   * The position of a stamp; for one beyond the end of the log, that end.
   *
   * @throws Error when {@link know} has not resolved for the stamp.
   */
  positionOf(seen: number): number {
    const { settled } = this.replica.history;
    if (seen <= settled) return seen;
    if (seen <= this.checked) return settled;
    throw new Error(`position ${String(seen)} of the configuration was not waited for`);
  }

  /**
   * Resolves when everything up to the stamp, or to the end of the log, has been applied. A gateway stamps only
   * positions that it has read from the log, so that a read up to the end of the log includes them, unless the log was
   * replaced.
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
