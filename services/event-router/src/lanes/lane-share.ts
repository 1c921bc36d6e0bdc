import type { SendLimits } from '@penstock/connectors';
import type { Clock } from '../time/clock';
import type { RouterOptions } from './router.options';

/** A lane that has work, and has neither begun nor ended a request, nor a delivery, for so long, is stuck. */
const STILL_MS = 2_000;
/** While requests are under way: applications that take many events at once may take seconds for them. */
const STILL_IN_REQUEST_MS = 10_000;
/** Deliveries of each partition that may be open in a lane that is stuck. */
const STUCK_OPEN = 100;

/** How many deliveries may be open in a lane: little where nothing comes of them. */
export class LaneShare {
  /** What the lane's requests take; nothing until its destination is known. */
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

  /** Requests under way. */
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

  /** A delivery has ended. */
  moved(): void {
    this.hasMoved = true;
  }

  /** To be called now and then. @param isIdle the lane has nothing to do. */
  look(isIdle: boolean): void {
    const nowMs = this.clock.nowMs();
    if (this.hasMoved || isIdle) this.movedMs = nowMs;
    this.hasMoved = false;
    const stillMs = this.underWay > 0 ? STILL_IN_REQUEST_MS : STILL_MS;
    this.wasStill = nowMs - this.movedMs >= stillMs;
  }

  /** It has work, and nothing has come of it for some time. */
  get isStuck(): boolean {
    return this.wasStill && !this.hasMoved;
  }

  /** Deliveries of all partitions that a lane which may not work is given by reading again. */
  get openInDoubt(): number {
    return Math.max(STUCK_OPEN, this.limits.maxEvents);
  }

  /** Of each partition. @param partitions that the lane has something of: its requests take from all of them. */
  openOf(partitions: number): number {
    const { concurrency, maxEvents } = this.limits;
    const twoRounds = (2 * concurrency * maxEvents) / Math.max(1, partitions);
    const share = Math.max(this.options.maxOpenPerLane, twoRounds);
    return this.isStuck ? Math.min(STUCK_OPEN, share) : share;
  }
}
