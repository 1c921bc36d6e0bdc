import type { LogRecord, MessageLog } from '@penstock/messaging';

/** How far a partition is read back at first, and after a pause in which it has grown by more. */
const LOOK_BACK = 200;
const MAX_SLICE_BYTES = 1_000_000;

interface Part {
  readonly records: readonly LogRecord[];
  readonly next: number;
}

/** Reads the newest records of a topic when it is called, so that nothing is read while nobody looks. */
export class TopicTail {
  private next: readonly number[] = [];

  constructor(
    private readonly log: Pick<MessageLog, 'endOffsets' | 'read'>,
    private readonly topic: string,
  ) {}

  /**
   * Returns what was appended since the previous call, at most 200 records of each partition, in order within a
   * partition. After a failure the same records are returned by the next call. Calls must not overlap.
   *
   * @throws LogUnavailable
   */
  async read(): Promise<LogRecord[]> {
    const ends = await this.log.endOffsets(this.topic);
    const parts = await Promise.all(ends.map((end, partition) => this.readPart(partition, end)));
    this.next = parts.map(({ next }) => next);
    return parts.flatMap(({ records }) => records);
  }

  private async readPart(partition: number, end: number): Promise<Part> {
    const records: LogRecord[] = [];
    let next = Math.max(this.next[partition] ?? 0, end - LOOK_BACK);
    while (next < end) {
      const slice = await this.log.read(this.topic, partition, next, MAX_SLICE_BYTES);
      records.push(...slice.records);
      next = Math.max(slice.next, next + 1);
    }
    return { records, next };
  }
}
