import type { BodyKey, DeliveryKey, StoredDelivery } from '../changes';
import { cleanText } from '../clean-text';
import type { KeptBody } from '../router-store';
import type { MemoryDatabase } from './memory-database';
import type { DestinationId } from '../lane-id';

const isWaiting = ({ state }: StoredDelivery): boolean => state === 'Waiting';

const isBehind = (after: DeliveryKey | null, { offset, pipeline }: DeliveryKey): boolean =>
  after === null || offset > after.offset || (offset === after.offset && pipeline > after.pipeline);

/** The stored deliveries of a {@link MemoryDatabase}. */
export class MemoryDeliveries {
  constructor(private readonly database: MemoryDatabase) {}

  waiting(
    partition: number,
    lane: DestinationId,
    orderKey: string,
    after: DeliveryKey | null,
    limits: { readonly rows: number; readonly maxBytes: number },
  ): StoredDelivery[] {
    const key = cleanText(orderKey);
    const rows = this.database
      .partition(partition)
      .deliveriesThat(
        (it) => it.lane === lane && it.orderKey === key && isWaiting(it) && isBehind(after, it),
      )
      .slice(0, limits.rows);
    let bytesBefore = 0;
    const end = rows.findIndex(({ body }) => {
      if (bytesBefore >= limits.maxBytes && bytesBefore > 0) return true;
      bytesBefore += Buffer.byteLength(body);
      return false;
    });
    return end === -1 ? rows : rows.slice(0, end);
  }

  keptBodies(after: BodyKey, limit: number): KeptBody[] {
    const kept = new Map<string, KeptBody>();
    for (const { partition, offset, body, state } of this.database.rows)
      if (
        state !== 'Waiting' &&
        (partition > after.partition || (partition === after.partition && offset > after.offset))
      )
        kept.set(`${partition}/${offset}`, { partition, offset, body });
    return [...kept.values()].slice(0, limit);
  }

  erase(keys: readonly BodyKey[]): void {
    for (const { partition: number, offset } of keys) {
      const partition = this.database.partition(number);
      for (const { delivery } of partition.rows)
        if (delivery.offset === offset && !isWaiting(delivery)) partition.deleteRow(delivery);
    }
  }

  /** Removes dead letters that were last changed before `beforeMs`, but those that an open redrive has chosen. */
  sweep(beforeMs: number): void {
    for (const [number, partition] of this.database.partitions)
      for (const { delivery, changedMs } of partition.rows)
        if (
          !isWaiting(delivery) &&
          changedMs < beforeMs &&
          !this.database.isChosen(number, delivery)
        )
          partition.deleteRow(delivery);
  }
}
