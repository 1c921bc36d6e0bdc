import type { JobId } from '@penstock/contracts';
import { type RecentContext, RecentIds } from '../replays/recent-ids';

/** Replays that are read at a time: about 8 MB each for the ids that they have read. */
const MAX_SEATS = 4;
/** Time after which a replay makes way for one that waits. */
const TURN_MS = 10_000;

interface Seat {
  readonly ids: RecentIds;
  readonly untilMs: number;
}

/** Bounds how many replays are read at the same time, in turn. */
export class ReadingSeats {
  private readonly seats = new Map<JobId, Seat>();
  private readonly waiting = new Set<JobId>();

  constructor(private readonly context: RecentContext) {}

  /** The ids that the replay has read lately; undefined: it has to wait for its turn. */
  take(job: JobId): RecentIds | undefined {
    const own = this.seats.get(job);
    if (own === undefined) return this.wait(job);
    const isOver = this.waiting.size > 0 && this.context.clock.nowMs() >= own.untilMs;
    if (!isOver) return own.ids;
    this.seats.delete(job);
    return this.wait(job);
  }

  /** Call it when the replay has nothing to read, or has ended. */
  leave(job: JobId): void {
    this.seats.delete(job);
    this.waiting.delete(job);
  }

  /** Call it when nothing can be given to the replay now: nobody waits behind it. It keeps its seat while nobody needs it. */
  rest(job: JobId): void {
    this.waiting.delete(job);
  }

  private wait(job: JobId): RecentIds | undefined {
    this.waiting.add(job);
    const [first] = this.waiting;
    if (first !== job) return undefined;
    if (this.seats.size >= MAX_SEATS && !this.freeOne()) return undefined;
    this.waiting.delete(job);
    const ids = new RecentIds(this.context);
    this.seats.set(job, { ids, untilMs: this.context.clock.nowMs() + TURN_MS });
    return ids;
  }

  /** Takes a seat whose time is over from a replay that does not come for more, such as one that is disabled. @returns whether there was one. */
  private freeOne(): boolean {
    const nowMs = this.context.clock.nowMs();
    for (const [job, { untilMs }] of this.seats)
      if (nowMs >= untilMs) return this.seats.delete(job);
    return false;
  }
}
