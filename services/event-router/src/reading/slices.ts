import type { LogSlice } from '@penstock/messaging';
import type { Lane } from '../lanes/lane';
import type { LaneId } from '../store/lane-id';
import type { MemoryBudget } from '../progress/memory-budget';
import { type Incoming, readIncoming } from '../routing/incoming';
import type { PipelineVersions } from '../routing/pipeline-versions';
import type { Routes } from '../routing/routes';
import type { Clock } from '../time/clock';
import { hasMemory } from './has-memory';
import type { ReadSlice } from './live-routing';
import type { Place } from './place';
import type { Placement } from './placement';

export interface SlicesContext {
  readonly clock: Clock;
  readonly budget: MemoryBudget;
  readonly routes: Routes;
  readonly placement: Placement;
  readonly read: ReadSlice;
  readonly lane: (lane: LaneId) => Lane;
  /** Most bytes of one slice. */
  readonly sliceBytes: number;
}

/** Longest time of work before it yields to the event loop. */
const STRETCH_MS = 5;
const MIN_BYTES = 65_536;

/** Nothing could be read below the end of the place. */
class NothingRead extends Error {
  override readonly name = 'NothingRead';
}

/** Records from one offset to before another. */
interface Stretch {
  readonly from: number;
  readonly next: number;
  readonly incoming: readonly Incoming[];
  /** The pipelines of the deliveries that were asleep within. */
  readonly versions: PipelineVersions;
  /** The partition was not lost meanwhile, and the live reader has looked at all of the records below `routed`. */
  readonly isOfUse: () => boolean;
}

/** Reads slices of the log again and gives them to all places within. */
export class Slices {
  private bytesAnEvent = 1_000;

  constructor(private readonly context: SlicesContext) {}

  /**
   * Reads one slice from the next offset of the place on.
   *
   * @param sharers places of the same partition: those whose next offset is within the slice are given it too.
   * @param onRead called once everything is there, and only work is left.
   * @throws Error when the log or the configuration is unavailable: try again later.
   */
  async serve(first: Place, sharers: readonly Place[], onRead: () => void): Promise<void> {
    const { partition } = first.part;
    const { gaps } = partition;
    const from = first.at;
    const slice = await this.context.read(partition.number, from, this.bytesFor(first));
    if (partition.isGone) return;
    if (slice.next <= from)
      throw new NothingRead(`events partition ${partition.number} has nothing at ${from} yet`);
    const all = slice.records.map(readIncoming);
    const events = all.filter((each) => each.kind === 'event');
    const { routes } = this.context;
    const prepared = await routes.prepare(events.map(({ head }) => head));
    const next = events[prepared]?.record.offset ?? slice.next;
    const incoming = all.filter(({ record }) => record.offset < next);
    const asleep = [first, ...sharers]
      .filter(({ at }) => at < next)
      .flatMap(({ detachment }) => [...detachment.asleepBelow(next)]);
    const versions = await routes.versions(asleep);
    onRead();
    this.noteSize(slice);
    const isOfUse = (): boolean => !partition.isGone && partition.gaps === gaps;
    if (!isOfUse()) return;
    const within = sharers.filter(({ at }) => at < next);
    const { begin } = slice;
    for (const place of within) this.context.placement.expire(place, begin);
    await this.give(within, { from: Math.max(from, begin), incoming, versions, next, isOfUse });
  }

  private async give(places: readonly Place[], stretch: Stretch): Promise<void> {
    const { clock } = this.context;
    const { from, incoming, versions, next, isOfUse } = stretch;
    let sinceMs = clock.nowMs();
    let previous = from - 1;
    for (const each of incoming) {
      if (!isOfUse()) return;
      for (const place of places) this.giveOne(place, each, versions, previous);
      previous = each.record.offset;
      if (clock.nowMs() - sinceMs < STRETCH_MS) continue;
      await new Promise<void>((resolve) => {
        clock.soon(resolve);
      });
      sinceMs = clock.nowMs();
    }
    for (const place of places) if (place.at > previous) place.skipTo(next);
  }

  /** Leaves out a place that was moved back meanwhile, or that had no room for the record before. */
  private giveOne(
    place: Place,
    incoming: Incoming,
    versions: PipelineVersions,
    previous: number,
  ): void {
    const { offset } = incoming.record;
    const isNext = place.at > previous && place.at <= offset && offset < place.end;
    if (isNext && this.hasRoom(place)) this.context.placement.give(place, incoming, versions);
  }

  private hasRoom(place: Place): boolean {
    const { budget, lane: laneOf } = this.context;
    const lane = laneOf(place.part.lane);
    if (!hasMemory(lane, budget)) return false;
    return place.mayBeServed(lane.maxKeyLength) && lane.mayTake(place.part);
  }

  /** An estimate of the bytes that the lane has room for, within the limits of a slice. */
  private bytesFor({ part }: Place): number {
    const wanted = this.context.lane(part.lane).room(part) * this.bytesAnEvent;
    return Math.min(this.context.sliceBytes, Math.max(MIN_BYTES, wanted));
  }

  private noteSize({ records }: LogSlice): void {
    if (records.length === 0) return;
    const bytes = records.reduce((sum, { value }) => sum + (value?.length ?? 0), 0);
    this.bytesAnEvent = 0.8 * this.bytesAnEvent + (0.2 * bytes) / records.length;
  }
}
