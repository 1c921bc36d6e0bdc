import type { Lane } from '../lanes/lane';
import type { LaneId } from '../store/lane-id';
import type { LanePart } from '../lanes/lane-part';
import type { OpenEntry } from '../progress/open-deliveries';
import type { OwnedPartition } from '../progress/owned-partition';
import type { SteadyWall } from '../progress/steady-wall';
import type { Incoming } from '../routing/incoming';
import type { PipelineVersions } from '../routing/pipeline-versions';
import type { Ending } from '../store/changes';
import type { Distribution } from './distribution';
import type { Place } from './place';

const EXPIRED: Ending = { state: 'Parked', step: 'Finalize', code: 'Expired', reason: '' };

export interface PlacementContext {
  readonly distribution: Distribution;
  readonly wall: SteadyWall;
  readonly lane: (lane: LaneId) => Lane;
  readonly onError: (error: unknown) => void;
}

/** Gives records that were read again to detached lanes and keys. */
export class Placement {
  constructor(private readonly context: PlacementContext) {}

  /**
   * The record's offset is at least that of the place, and below its end.
   *
   * @param versions the pipelines of the deliveries that are asleep there.
   * @throws Error when one of these was not looked up: nothing of the record has been given.
   */
  give(place: Place, incoming: Incoming, versions: PipelineVersions): void {
    const { offset } = incoming.record;
    const { detachment, part } = place;
    this.expireBelow(place, offset);
    if (offset < detachment.cursor.position) this.wake(place, incoming, versions);
    else if (incoming.kind === 'event')
      if (place.orderKey === undefined) this.context.distribution.toLane(part, incoming);
      else this.context.distribution.toKey(place, place.orderKey, incoming);
    place.skipTo(offset + 1);
  }

  /**
   * Moves the place to `begin` when retention has removed records below it. Open deliveries below end as expired.
   * Records that a lane had not been given are reported to operators, since their pipelines are not known; those of a
   * key are counted by {@link expireOwed}.
   */
  expire(place: Place, begin: number): void {
    const { position } = place.detachment.cursor;
    if (place.at >= begin) return;
    this.expireBelow(place, begin);
    const to = Math.min(begin, place.end);
    if (place.orderKey === undefined && position < to) this.report(place.part, position, to);
    place.skipTo(begin);
  }

  /** Counts as expired what is still left to a key that has read everything: retention has removed those events. */
  expireOwed({ part, detachment, isUp }: Place): void {
    const { partition } = part;
    if (!isUp) return;
    for (const [pipeline, count] of partition.cursors.remit(detachment.cursor))
      partition.count(pipeline, EXPIRED, this.context.wall.nowMs(), count);
  }

  private expireBelow({ part, detachment }: Place, offset: number): void {
    while (detachment.firstAsleep < offset)
      this.end(part.partition, detachment.wake(detachment.firstAsleep));
  }

  private wake(
    { part, orderKey, detachment }: Place,
    incoming: Incoming,
    versions: PipelineVersions,
  ): void {
    const { offset } = incoming.record;
    if (detachment.firstAsleep !== offset) return;
    for (const entry of detachment.asleepBelow(offset + 1)) versions.get(entry);
    const { distribution } = this.context;
    const lane = this.context.lane(part.lane);
    const held =
      incoming.kind === 'event' ? distribution.hold(part.partition, incoming) : undefined;
    for (let entry = detachment.wake(offset); entry; entry = detachment.wake(offset)) {
      const pipeline = versions.get(entry);
      if (held === undefined || pipeline === undefined) this.end(part.partition, entry);
      else if (orderKey === undefined) lane.resume(part, held, pipeline, entry);
      else lane.resumeKey(part, held, pipeline, entry);
    }
  }

  private end(partition: OwnedPartition, entry: OpenEntry | undefined): void {
    if (entry === undefined || !partition.open.close(entry)) return;
    const { offset, pipeline, version, attempts } = entry;
    const atMs = this.context.wall.nowMs();
    partition.count(pipeline, EXPIRED, atMs);
    partition.gather((gathered) => {
      const { state, code } = EXPIRED;
      gathered.time({ pipeline, attempts, atMs, tookMs: undefined });
      gathered.outcomes.push({
        offset,
        pipeline,
        version,
        state,
        code,
        attempts,
        atMs,
        status: 0,
        made: '',
      });
    });
  }

  private report({ partition, lane }: LanePart, from: number, to: number): void {
    const reason = `retention has removed ${to - from} records before lane ${lane} was given them`;
    partition.gather(({ unreadable }) => {
      unreadable.push({ offset: from, orderKey: '', value: '', reason });
    });
    this.context.onError(new Error(`events partition ${partition.number}: ${reason}`));
  }
}
