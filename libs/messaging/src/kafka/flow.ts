/** Bytes held at present. */
export interface Held {
  readonly bytes: number;
}

/** A partition's share before its fetching is held back: some milliseconds of work for a quick handler. */
const QUEUE_BYTES = 1_048_576;
/** All partitions of a reader; beyond it only a queue that holds nothing is given more. */
const TOTAL_BYTES = 16_777_216;

/** Says which queues may be given more, so that a slow handler bounds what is held and stops no other queue. */
export class Flow {
  constructor(private readonly queues: ReadonlyMap<number, Held>) {}

  hasRoom(queue: Held): boolean {
    return this.isBelow(queue, QUEUE_BYTES);
  }

  /** As {@link hasRoom}, for a queue that had none: half a share must be free. */
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
