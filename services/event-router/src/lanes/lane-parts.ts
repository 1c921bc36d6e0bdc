import type { OwnedPartition } from '../progress/owned-partition';
import type { LaneId } from '../store/lane-id';
import { LanePart } from './lane-part';

/** The parts of a lane, one for each partition of this process that it has deliveries of. */
export class LaneParts implements Iterable<LanePart> {
  private readonly parts = new Map<OwnedPartition, LanePart>();

  constructor(private readonly lane: LaneId) {}

  [Symbol.iterator](): Iterator<LanePart> {
    return this.parts.values();
  }

  /** The part of a partition; created on first use. */
  of(partition: OwnedPartition): LanePart {
    const known = this.parts.get(partition);
    if (known !== undefined) return known;
    const part = new LanePart(this.lane, partition);
    this.parts.set(partition, part);
    return part;
  }

  /** Undefined: the lane has no part of the partition. */
  get(partition: OwnedPartition): LanePart | undefined {
    return this.parts.get(partition);
  }

  /** Removes and returns the part of the partition. */
  take(partition: OwnedPartition): LanePart | undefined {
    const part = this.parts.get(partition);
    this.parts.delete(partition);
    return part;
  }

  /** Number of partitions that the lane has a part of. */
  get count(): number {
    return this.parts.size;
  }

  /** Number of live deliveries in memory. */
  get length(): number {
    return this.sum(({ length }) => length);
  }

  /** Bytes of the live deliveries. */
  get bytes(): number {
    return this.sum(({ bytes }) => bytes);
  }

  /** Bytes of the loaded rows. */
  get rowBytes(): number {
    return this.sum(({ rowBytes }) => rowBytes);
  }

  /** Whether nothing is in memory and nothing is detached. */
  get areIdle(): boolean {
    for (const part of this.parts.values()) if (part.length > 0 || part.isBehind) return false;
    return true;
  }

  /** Number of order keys that have deliveries. */
  get keyCount(): number {
    return this.sum(({ keys }) => keys.size);
  }

  /** Number of routed offsets, over all partitions, that the lane has not been given. */
  get lag(): number {
    return this.sum(({ position, partition }) => partition.routed - position);
  }

  private sum(valueOf: (part: LanePart) => number): number {
    let sum = 0;
    for (const part of this.parts.values()) sum += valueOf(part);
    return sum;
  }
}
