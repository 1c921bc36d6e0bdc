import type { Partition } from '../partitions/partition';

/** How many rows of a lane wait in the store, by partition. */
export class StoredRows {
  private readonly counts = new Map<Partition, number>();

  of(partition: Partition): number {
    return this.counts.get(partition) ?? 0;
  }

  add(partition: Partition, count: number): void {
    this.counts.set(partition, Math.max(0, this.of(partition) + count));
  }

  forget(partition: Partition): void {
    this.counts.delete(partition);
  }
}
