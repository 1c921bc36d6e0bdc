import type { RecordValue } from '@penstock/schema';
import type { MemoryBudget, MemoryKind } from '../progress/memory-budget';
import type { OwnedPartition } from '../progress/owned-partition';

/** Bytes of the budget that an event takes beside its text: for the parsed form and its entries in queues. */
const OVERHEAD_BYTES = 1_000;

/** An event as it was read from the log. */
export interface ReadEvent {
  readonly partition: OwnedPartition;
  readonly offset: number;
  readonly orderKey: string;
  /** Parsed, by the event schema. */
  readonly event: RecordValue;
  readonly eventText: string;
  /** The value of the log record. */
  readonly body: string;
  /** Milliseconds since 1970. */
  readonly receivedAtMs: number;
  /** The span that routed it; undefined: its request was not sampled. */
  readonly traceparent: string | undefined;
}

/** The key of an event of a lane without ordering: no other event shares it. */
export const ownKeyOf = ({ orderKey, offset }: Pick<ReadEvent, 'orderKey' | 'offset'>): string =>
  `${orderKey}@${String(offset)}`;

/** An event in memory. The budget counts it once, however many deliveries hold it. */
export class HeldEvent {
  readonly bytes: number;
  private holders = 0;

  constructor(
    readonly read: ReadEvent,
    private readonly budget: MemoryBudget,
    private readonly kind: Extract<MemoryKind, 'events' | 'rows'> = 'events',
  ) {
    this.bytes = Buffer.byteLength(read.body) + OVERHEAD_BYTES;
  }

  hold(): void {
    if (this.holders === 0) this.budget.take(this.kind, this.bytes);
    this.holders += 1;
  }

  release(): void {
    this.holders -= 1;
    if (this.holders === 0) this.budget.release(this.kind, this.bytes);
  }
}
