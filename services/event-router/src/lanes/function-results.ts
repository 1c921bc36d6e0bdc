import { JsonText, type RecordValue, type Value } from '@penstock/schema';
import { RecordFailure } from '@penstock/transformations';
import type { MemoryBudget } from '../partitions/memory-budget';
import type { Delivery } from './delivery';

const ENTRY_BYTES = 16;

/** About what a value costs in memory. */
export const bytesOf = (value: Value | undefined): number => {
  if (typeof value === 'string') return ENTRY_BYTES + value.length;
  if (typeof value !== 'object' || value === null) return ENTRY_BYTES;
  if (value instanceof JsonText) return ENTRY_BYTES + value.text.length;
  const members: Iterable<Value | undefined> =
    value instanceof Map || Array.isArray(value) ? value.values() : Object.values(value);
  let sum = ENTRY_BYTES;
  for (const member of members) sum += bytesOf(member);
  return sum;
};

/** What functions have made of deliveries, counted as long as it is kept. */
export class FunctionResults {
  constructor(private readonly budget: MemoryBudget) {}

  keep(delivery: Delivery, values: RecordValue | RecordFailure): void {
    delivery.values = values;
    this.count(delivery, values instanceof RecordFailure ? values.message.length : bytesOf(values));
  }

  /** Makes room where it is short: the transformation runs once more when the delivery is due. */
  relieve(delivery: Delivery): void {
    if (!this.budget.isTight) return;
    delivery.values = undefined;
    this.count(delivery, 0);
  }

  /** What was read from the store is bounded by its number. */
  private count(delivery: Delivery, bytes: number): void {
    const more = bytes - delivery.valuesBytes;
    if (delivery.ticket === null || more === 0) return;
    delivery.valuesBytes = bytes;
    delivery.ticket.grow(more);
    if (more > 0) this.budget.take(more);
    else this.budget.release(-more);
  }
}
