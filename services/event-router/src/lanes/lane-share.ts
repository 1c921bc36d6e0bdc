import type { Clock } from '../clock';
import type { RouterOptions } from '../router.options';

/** A lane that has work, and has neither begun a request nor ended a delivery for so long, is stuck. */
const STILL_MS = 2_000;
/** Deliveries of each partition that may be open in a lane that is stuck. */
const STUCK_OPEN = 100;

/** How many deliveries of each partition may be open in a lane: little where nothing comes of them. */
export class LaneShare {
  /** Deliveries that two rounds of requests take, of all partitions. */
  twoRounds = 0;
  private hasMoved = true;
  private wasStill = false;
  private movedMs: number;

  constructor(
    private readonly clock: Clock,
    private readonly options: Pick<RouterOptions, 'maxOpenPerLane'>,
  ) {
    this.movedMs = clock.nowMs();
  }

  /** A request begins, or a delivery has ended. */
  moved(): void {
    this.hasMoved = true;
  }

  /** To be called now and then. @param isIdle the lane has nothing to do. */
  look(isIdle: boolean): void {
    const nowMs = this.clock.nowMs();
    if (this.hasMoved || isIdle) this.movedMs = nowMs;
    this.hasMoved = false;
    this.wasStill = nowMs - this.movedMs >= STILL_MS;
  }

  /** @param partitions that the lane has something of: its requests take from all of them. */
  openOf(partitions: number): number {
    const rounds = this.twoRounds / Math.max(1, partitions);
    const share = Math.max(this.options.maxOpenPerLane, rounds);
    return this.wasStill && !this.hasMoved ? Math.min(STUCK_OPEN, share) : share;
  }
}
