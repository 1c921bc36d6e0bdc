import type { SendLimits } from '@penstock/connectors';
import type { Clock } from '../time/clock';
import type { RouterOptions } from './router.options';

/** A lane with work that has neither begun nor ended a request or delivery for this time is stuck. */
const STILL_MS = 2_000;
/** As `STILL_MS`, while requests are under way: a destination may take seconds for a large batch. */
const STILL_IN_REQUEST_MS = 10_000;
/** Deliveries of each partition that may be open in a stuck lane. */
const STUCK_OPEN = 100;

/** How many deliveries may be open in a lane; fewer while it is stuck. */
export class LaneShare {
  /** The destination's limits; zero until the destination is known. */
  limits: Pick<SendLimits, 'concurrency' | 'maxEvents'> = { concurrency: 0, maxEvents: 0 };
  private underWay = 0;
  private hasMoved = true;
  private wasStill = false;
  private movedMs: number;

  constructor(
    private readonly clock: Clock,
    private readonly options: Pick<RouterOptions, 'maxOpenPerLane'>,
  ) {
    this.movedMs = clock.nowMs();
  }

  /** Number of requests under way. */
  get requests(): number {
    return this.underWay;
  }

  beginRequest(): void {
    this.underWay += 1;
    this.hasMoved = true;
  }

  endRequest(): void {
    this.underWay -= 1;
    this.hasMoved = true;
  }

  /** Call it when a delivery has ended. */
  moved(): void {
    this.hasMoved = true;
  }

  /** Updates `isStuck`. Call it periodically. @param isIdle the lane has nothing to do. */
  look(isIdle: boolean): void {
    const nowMs = this.clock.nowMs();
    if (this.hasMoved || isIdle) this.movedMs = nowMs;
    this.hasMoved = false;
    const stillMs = this.underWay > 0 ? STILL_IN_REQUEST_MS : STILL_MS;
    this.wasStill = nowMs - this.movedMs >= stillMs;
  }

  /** Whether it has work and made no progress for some time. */
  get isStuck(): boolean {
    return this.wasStill && !this.hasMoved;
  }

  /** Most deliveries, of all partitions, that a suspect or stuck lane gets by catching up. */
  get openInDoubt(): number {
    return Math.max(STUCK_OPEN, this.limits.maxEvents);
  }

  /** Deliveries that may be open per partition. @param partitions number that the lane has deliveries of. */
  openOf(partitions: number): number {
    const { concurrency, maxEvents } = this.limits;
    const twoRounds = (2 * concurrency * maxEvents) / Math.max(1, partitions);
    const share = Math.max(this.options.maxOpenPerLane, twoRounds);
    return this.isStuck ? Math.min(STUCK_OPEN, share) : share;
  }
}
