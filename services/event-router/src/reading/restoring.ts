import type { PipelineId } from '@penstock/contracts';
import type { Lane } from '../lanes/lane';
import type { DestinationId, LaneId } from '../store/lane-id';
import type { LanePart } from '../lanes/lane-part';
import type { OpenEntry } from '../progress/open-deliveries';
import type { OwnedPartition } from '../progress/owned-partition';
import type { Routes } from '../routing/routes';
import type { PartitionProgress } from '../store/router-store';
import type { Clock } from '../time/clock';

export interface RestoringContext {
  readonly clock: Clock;
  readonly routes: Routes;
  readonly lane: (lane: LaneId) => Lane;
  readonly onError: (error: unknown) => void;
}

/** Restores the progress of a partition's earlier owner: open deliveries, cursors, keys with stored rows. */
export class Restoring {
  constructor(private readonly context: RestoringContext) {}

  /**
   * Adds the open deliveries to detachments of their lanes, which read the events from the log again.
   *
   * @returns the parts that are detached, or of which a key is.
   */
  restore(partition: OwnedPartition, progress: PartitionProgress): ReadonlySet<LanePart> {
    const { clock, lane } = this.context;
    const nowMs = clock.nowMs();
    const behind = new Set<LanePart>();
    const partOf = (id: LaneId): LanePart => {
      const part = lane(id).part(partition);
      behind.add(part);
      return part;
    };
    const asleep = this.byLane(partition, progress);
    for (const cursor of progress.cursors)
      if (cursor.orderKey === '' && !asleep.has(cursor.lane)) asleep.set(cursor.lane, []);
    for (const [id, entries] of asleep) {
      const position = partition.cursors.positionOf(id) ?? progress.routed;
      partOf(id).detach(position, entries, nowMs);
    }
    for (const { lane: id, orderKey, position } of progress.cursors)
      if (orderKey !== '') partOf(id).detachKey(orderKey, position, [], nowMs);
    for (const key of progress.waiting) lane(key.lane).restoreKey(partition, key);
    return behind;
  }

  private byLane(partition: OwnedPartition, { open }: PartitionProgress): Map<LaneId, OpenEntry[]> {
    const byLane = new Map<LaneId, OpenEntry[]>();
    for (const each of open) {
      const entry: OpenEntry = { ...each };
      const id = this.laneOf(each.pipeline);
      if (id === undefined) continue;
      partition.open.restore(entry);
      const entries = byLane.get(id);
      if (entries === undefined) byLane.set(id, [entry]);
      else entries.push(entry);
    }
    return byLane;
  }

  private laneOf(pipeline: PipelineId): DestinationId | undefined {
    const id = this.context.routes.laneOf(pipeline);
    if (id === undefined)
      this.context.onError(
        new Error(
          `an open delivery names pipeline ${pipeline}, which never was: it is left out. Was the database restored from an older backup?`,
        ),
      );
    return id;
  }
}
