import type { ConnectionId } from '@penstock/contracts';
import type { OwnedPartition } from '../progress/owned-partition';
import { LanePart } from './lane-part';

/** What a lane has of all partitions of this process. */
export class LaneParts implements Iterable<LanePart> {
  private readonly parts = new Map<OwnedPartition, LanePart>();

  constructor(private readonly lane: ConnectionId) {}

  [Symbol.iterator](): Iterator<LanePart> {
    return this.parts.values();
  }

  /** Made when it is first asked for. */
  of(partition: OwnedPartition): LanePart {
    const known = this.parts.get(partition);
    if (known !== undefined) return known;
    const part = new LanePart(this.lane, partition);
    this.parts.set(partition, part);
    return part;
  }

  /** Undefined: there is nothing of the partition. */
  get(partition: OwnedPartition): LanePart | undefined {
    return this.parts.get(partition);
  }

  /** Takes what there is of the partition out. */
  take(partition: OwnedPartition): LanePart | undefined {
    const part = this.parts.get(partition);
    this.parts.delete(partition);
    return part;
  }

  /** Partitions that the lane has something of. */
  get count(): number {
    return this.parts.size;
  }

  /** Deliveries in memory. */
  get length(): number {
    return this.sum(({ length }) => length);
  }

  get bytes(): number {
    return this.sum(({ bytes }) => bytes);
  }

  /** Nothing is in memory, and nothing stands below the live reader. */
  get areIdle(): boolean {
    for (const part of this.parts.values()) if (part.length > 0 || part.isBehind) return false;
    return true;
  }

  /** Order keys that have anything. */
  get keyCount(): number {
    return this.sum(({ keys }) => keys.size);
  }

  /** Offsets of all partitions that the lane has not been given. */
  get lag(): number {
    return this.sum(({ position, partition }) => partition.routed - position);
  }

  private sum(valueOf: (part: LanePart) => number): number {
    let sum = 0;
    for (const part of this.parts.values()) sum += valueOf(part);
    return sum;
  }
}
