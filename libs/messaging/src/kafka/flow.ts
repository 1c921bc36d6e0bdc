/** Bytes held at present. */
export interface Held {
  readonly bytes: number;
}

/** Bytes of one partition before its fetching is paused: some milliseconds of work for a fast handler. */
const QUEUE_BYTES = 1_048_576;
/** Bytes of all partitions of a reader; beyond this only an empty queue gets more. */
const TOTAL_BYTES = 16_777_216;

/** Decides which queues may get more records: a slow handler then bounds the memory and stops no other queue. */
export class Flow {
  constructor(private readonly queues: ReadonlyMap<number, Held>) {}

  hasRoom(queue: Held): boolean {
    return this.isBelow(queue, QUEUE_BYTES);
  }

  /** Like {@link hasRoom}, for a queue that was full: half of its bytes must be free. */
  hasRoomAgain(queue: Held): boolean {
    return this.isBelow(queue, QUEUE_BYTES / 2);
  }

  private isBelow(queue: Held, bytes: number): boolean {
    return queue.bytes === 0 || (queue.bytes < bytes && this.heldBytes() < TOTAL_BYTES);
  }

  private heldBytes(): number {
    let bytes = 0;
    for (const queue of this.queues.values()) bytes += queue.bytes;
    return bytes;
  }
}
