import type { LanePart } from '../lanes/lane-part';
import type { OwnedPartition } from '../progress/owned-partition';
import type { RouterStore } from '../store/router-store';
import type { Clock } from '../time/clock';
import type { ReadSlice } from './live-routing';
import { Place } from './place';

export interface WaitingEventsContext {
  readonly clock: Clock;
  readonly read: ReadSlice;
  readonly store: Pick<RouterStore, 'noteWaiting'>;
}

/** Age from which an event counts as waiting: others are under way. */
const WAITS_MS = 5_000;
/** Most records that are read for the times of detached lanes at once; the others keep what was noted before. */
const MAX_READS = 50;
/** What has not changed is noted again after this time, should an earlier owner of the partition have written late. */
const AGAIN_MS = 60_000;

/** A record of the log, and when it was appended. */
interface Stood {
  readonly offset: number;
  readonly atMs: number;
}

interface Noted {
  readonly since: ReadonlyMap<string, number>;
  readonly atMs: number;
}

const isEqual = (one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): boolean =>
  one.size === other.size && [...one].every(([key, value]) => other.get(key) === value);

/** The first offset that the lane, or one of its keys, has to be given; undefined: none. */
const firstBehind = (part: LanePart): number | undefined => {
  const first = Math.min(...Place.of(part).map(({ at }) => at));
  return first < part.partition.routed ? first : undefined;
};

/**
 * Notes in the store since when events wait: by pipeline for those that were read, and by destination for those that its lane
 * has not been given, of which the pipeline is not known yet.
 */
export class WaitingEvents {
  private readonly noted = new WeakMap<OwnedPartition, Noted>();
  private stood = new Map<LanePart, Stood>();
  private isLooking = false;

  constructor(private readonly context: WaitingEventsContext) {}

  /** Call it periodically. @param behind parts of which the lane, or a key, is detached. */
  async look(partitions: Iterable<OwnedPartition>, behind: ReadonlySet<LanePart>): Promise<void> {
    if (this.isLooking) return;
    this.isLooking = true;
    try {
      await this.readTimes([...behind]);
      for (const partition of [...partitions]) await this.note(partition);
    } finally {
      this.isLooking = false;
    }
  }

  /** Finds when the records were appended that detached lanes have to be given next. */
  private async readTimes(behind: readonly LanePart[]): Promise<void> {
    const stood = new Map<LanePart, Stood>();
    let reads = 0;
    for (const part of behind) {
      const offset = firstBehind(part);
      if (offset === undefined || part.partition.isGone) continue;
      const before = this.stood.get(part);
      const isKnown = before?.offset === offset || reads >= MAX_READS;
      if (!isKnown) reads += 1;
      const found = isKnown ? before : await this.timeOf(part, offset);
      if (found !== undefined) stood.set(part, found);
    }
    this.stood = stood;
  }

  private async timeOf({ partition }: LanePart, offset: number): Promise<Stood | undefined> {
    const { records } = await this.context.read(partition.number, offset, 1);
    const [record] = records;
    return record && { offset, atMs: record.timestampMs };
  }

  private async note(partition: OwnedPartition): Promise<void> {
    const { clock, store } = this.context;
    const since = this.sinceOf(partition);
    const before = this.noted.get(partition);
    const nowMs = clock.nowMs();
    const isFresh = before !== undefined && nowMs - before.atMs < AGAIN_MS;
    if (partition.isGone || (isFresh && isEqual(before.since, since))) return;
    await store.noteWaiting({ partition: partition.number, epoch: partition.epoch }, since);
    this.noted.set(partition, { since, atMs: nowMs });
  }

  /** Pipeline or destination → milliseconds since 1970 of the oldest event. */
  private sinceOf(partition: OwnedPartition): Map<string, number> {
    const since = new Map<string, number>(partition.open.oldest);
    for (const [{ lane, partition: of }, { atMs }] of this.stood)
      if (of === partition) since.set(lane, atMs);
    const beforeMs = this.context.clock.wallMs() - WAITS_MS;
    return new Map([...since].filter(([, atMs]) => atMs <= beforeMs));
  }
}
