import type { DeliveryKey, OpenDelivery } from './changes';
import type { LoggedChange } from './change-log';

const keyOf = ({ offset, pipeline }: DeliveryKey): string => `${offset}/${pipeline}`;

/** The open deliveries of a partition, computed from its change log. */
export class OpenDeliveries {
  private readonly deliveries = new Map<string, OpenDelivery>();

  apply({ isSnapshot, open, closed }: LoggedChange): void {
    if (isSnapshot) this.deliveries.clear();
    for (const key of closed) this.deliveries.delete(keyOf(key));
    for (const delivery of open) this.deliveries.set(keyOf(delivery), delivery);
  }

  /** By offset, then in the order in which they were opened. */
  list(): OpenDelivery[] {
    return [...this.deliveries.values()].sort((a, b) => a.offset - b.offset);
  }
}
