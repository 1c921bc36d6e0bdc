import type { MemoryBudget } from '../progress/memory-budget';
import type { ReadSlice } from '../reading/live-routing';
import { makeWay } from '../replays/make-way';
import type { RecentIds } from '../replays/recent-ids';
import type { RepeatedIds } from '../replays/repeated-ids';
import type { ReplayedPipeline } from '../replays/replayed-pipeline';
import { ownKeyOf } from '../lanes/held-event';
import { type Incoming, readIncoming } from '../routing/incoming';
import type { IncomingEvent } from '../routing/incoming-event';
import type { Routes } from '../routing/routes';
import type { Clock } from '../time/clock';
import type { ReplayPart } from './replay-part';

export interface ReadingContext {
  readonly clock: Clock;
  readonly budget: MemoryBudget;
  readonly read: ReadSlice;
  readonly routes: Pick<Routes, 'isOptedOut'>;
  /** Milliseconds by which the live reader lags; 0: it has had nothing to do lately. */
  readonly liveLagMs: () => number;
}

/** What a replay sends again, and how. */
export interface ReplayPlan {
  readonly replayed: ReplayedPipeline;
  /** As the destination had it when the replay was created. */
  readonly ordering: 'key' | 'none';
}

const SLICE_BYTES = 256 * 1024;
/** Longest time of work before live events may go first. */
const STRETCH_MS = 2;

/** Reads the window of a replay in one partition, as far as its lane has room. */
export class WindowReader {
  private readMs: number;

  constructor(
    readonly part: ReplayPart,
    private readonly plan: ReplayPlan,
    private readonly context: ReadingContext,
  ) {
    this.readMs = context.clock.nowMs();
  }

  /** Milliseconds since it has read, or was made. */
  get idleMs(): number {
    return this.context.clock.nowMs() - this.readMs;
  }

  /**
   * Reads one slice, or less of it when there is no room for more.
   *
   * @returns false: the log ends before the window.
   * @throws Error when the log is unavailable; the signal's reason.
   */
  async readSlice(recent: RecentIds, signal: AbortSignal): Promise<boolean> {
    const { part, plan, context } = this;
    const { partition, position, window } = part;
    const repeated = await recent.before(
      plan.replayed.sources,
      { partition: partition.number, position, start: window.start },
      signal,
    );
    const slice = await context.read(partition.number, position, SLICE_BYTES);
    if (!part.mayWork) return true;
    if (slice.next <= position) return false;
    const expired = Math.max(0, Math.min(slice.begin, window.end) - position);
    if (expired > 0) part.skipTo(slice.begin, expired);
    const incoming = slice.records
      .filter(({ offset }) => offset >= part.position && offset < window.end)
      .map(readIncoming);
    if (await this.pass(incoming, repeated)) part.skipTo(slice.next);
    repeated.next = part.position;
    this.readMs = context.clock.nowMs();
    return true;
  }

  /** @returns whether all were taken. */
  private async pass(records: readonly Incoming[], repeated: RepeatedIds): Promise<boolean> {
    const { clock, liveLagMs } = this.context;
    let sinceMs = clock.nowMs();
    for (const incoming of records) {
      if (!this.part.hasRoom) return false;
      this.take(incoming, repeated);
      if (clock.nowMs() - sinceMs < STRETCH_MS) continue;
      await makeWay(clock, liveLagMs(), clock.nowMs() - sinceMs);
      if (!this.part.mayWork) return false;
      sinceMs = clock.nowMs();
    }
    await makeWay(clock, liveLagMs(), clock.nowMs() - sinceMs);
    return this.part.mayWork;
  }

  private take(incoming: Incoming, repeated: RepeatedIds): void {
    const { part } = this;
    const { offset } = incoming.record;
    if (incoming.kind === 'unreadable') part.count(offset, 'unreadable');
    else if (!this.plan.replayed.sources.has(incoming.head.source)) part.skipTo(offset + 1);
    else if (repeated.isRepeated(incoming.hash, offset)) part.count(offset, 'duplicates');
    else this.takeEvent(incoming);
  }

  private takeEvent(incoming: IncomingEvent): void {
    const { part, plan } = this;
    const { record, event, head, orderKey } = incoming;
    const { offset, value } = record;
    const { compiled, isWanted, lane } = plan.replayed;
    if (event === undefined || value === null) part.count(offset, 'unreadable');
    else if (
      !isWanted(event) ||
      !compiled.matches(event) ||
      this.context.routes.isOptedOut(head.integrations, lane)
    )
      part.count(offset, 'filtered');
    else {
      const key = plan.ordering === 'key' ? orderKey : ownKeyOf({ orderKey, offset });
      part.give(offset, key, value);
    }
  }
}
