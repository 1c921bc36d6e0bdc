import type { RecordValue } from '@penstock/schema';
import type { MemoryBudget } from '../progress/memory-budget';
import type { OwnedPartition } from '../progress/owned-partition';

/** What an event costs of the budget beside its text: the parsed form and its places in queues. */
const OVERHEAD_BYTES = 1_000;

/** An event as it was read from the log. */
export interface ReadEvent {
  readonly partition: OwnedPartition;
  readonly offset: number;
  readonly orderKey: string;
  /** Parsed, by the event schema. */
  readonly event: RecordValue;
  readonly eventText: string;
  /** The message's value as it stands in the log. */
  readonly body: string;
  /** Milliseconds since 1970. */
  readonly receivedAtMs: number;
}

/** The order key of an event that is in no order with any other. */
export const ownKeyOf = ({ orderKey, offset }: Pick<ReadEvent, 'orderKey' | 'offset'>): string =>
  `${orderKey}@${String(offset)}`;

/** An event in memory: counted once, however many deliveries hold it. */
export class HeldEvent {
  readonly bytes: number;
  private holders = 0;

  constructor(
    readonly read: ReadEvent,
    private readonly budget: MemoryBudget,
  ) {
    this.bytes = Buffer.byteLength(read.body) + OVERHEAD_BYTES;
  }

  hold(): void {
    if (this.holders === 0) this.budget.take('events', this.bytes);
    this.holders += 1;
  }

  release(): void {
    this.holders -= 1;
    if (this.holders === 0) this.budget.release('events', this.bytes);
  }
}
