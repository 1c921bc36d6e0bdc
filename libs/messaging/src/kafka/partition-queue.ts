import { deliver, type Delivery } from '../deliver';
import type { BatchHandler, LogRecord } from '../message-log';

/** A record in memory beyond its texts: objects and numbers. */
const RECORD_BYTES = 128;

export interface QueueOptions {
  readonly partition: number;
  readonly start: number;
  readonly maxRecords: number;
  readonly onBatch: BatchHandler;
  /** A batch has been handled: {@link PartitionQueue.position} has moved. */
  readonly onMoved: (queue: PartitionQueue) => void;
  readonly onFault: Delivery['onFault'];
}

/** What was fetched of one partition, on its way through the handler, batch by batch. */
export class PartitionQueue {
  readonly partition: number;
  /** The offset from which the next records must come. */
  nextFetch: number;
  /** The offset of the next record to be handled. */
  position: number;
  /** Held at present, the batch in hand too. */
  bytes = 0;
  private waiting: readonly LogRecord[] = [];
  private work: Promise<void> | undefined;
  private readonly stopping = new AbortController();

  private readonly delivery: Delivery;

  constructor(private readonly options: QueueOptions) {
    const { onBatch, onFault } = options;
    this.delivery = { onBatch, onFault, signal: this.stopping.signal };
    this.partition = options.partition;
    this.nextFetch = options.start;
    this.position = options.start;
  }

  /** Takes what was fetched from {@link nextFetch} up to `nextFetch`, exclusive; gaps are no matter. */
  offer(records: readonly LogRecord[], nextFetch: number): void {
    this.nextFetch = nextFetch;
    this.waiting = [...this.waiting, ...records];
    this.bytes += bytesOf(records);
    if (this.waiting.length === 0) this.moveTo(nextFetch);
    else this.work ??= this.handleAll().finally(() => (this.work = undefined));
  }

  /** Whether a batch is in hand. */
  get isAtWork(): boolean {
    return this.work !== undefined;
  }

  /** Resolves once the batch in hand has ended; no other begins. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.work;
  }

  private async handleAll(): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.waiting.slice(0, this.options.maxRecords);
      if (!(await deliver(this.partition, batch, this.delivery))) return;
      this.waiting = this.waiting.slice(batch.length);
      this.bytes -= bytesOf(batch);
      this.moveTo(this.waiting[0]?.offset ?? this.nextFetch);
    }
  }

  private moveTo(position: number): void {
    this.position = position;
    this.options.onMoved(this);
  }
}

const bytesOf = (records: readonly LogRecord[]): number =>
  records.reduce(
    (sum, { key, value }) => sum + RECORD_BYTES + key.length + (value?.length ?? 0),
    0,
  );
