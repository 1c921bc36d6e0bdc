import type { ConnectionId } from '@penstock/contracts';

/** Sampled events of a partition whose deliveries are awaited; of more, the newest ones. */
const MAX_EVENTS = 1_000;

interface Sampled {
  readonly source: ConnectionId;
  /** Deliveries that have not ended. */
  open: number;
}

/** The events that were sampled, while deliveries of them are open. */
export class SampledEvents {
  private readonly partitions = new Map<number, Map<number, Sampled>>();

  /** Whether no delivery of any sampled event is open. */
  get areNone(): boolean {
    return this.partitions.size === 0;
  }

  /** @param open number of its deliveries. */
  add(partition: number, offset: number, sampled: Readonly<Sampled>): void {
    if (sampled.open === 0) return;
    const events = this.partitions.get(partition) ?? new Map<number, Sampled>();
    this.partitions.set(partition, events);
    events.delete(offset);
    events.set(offset, { ...sampled });
    const [oldest] = events.keys();
    if (events.size > MAX_EVENTS && oldest !== undefined) events.delete(oldest);
  }

  /** Counts a delivery that has ended. @returns the source of the event; undefined: it was not sampled. */
  end(partition: number, offset: number): ConnectionId | undefined {
    const events = this.partitions.get(partition);
    const sampled = events?.get(offset);
    if (events === undefined || sampled === undefined) return undefined;
    sampled.open -= 1;
    if (sampled.open === 0) events.delete(offset);
    if (events.size === 0) this.partitions.delete(partition);
    return sampled.source;
  }

  /** Forgets all. */
  clear(): void {
    this.partitions.clear();
  }
}
