import { deliver, type Delivery } from '../deliver';
import type { BatchHandler, LogRecord } from '../message-log';

/** Memory of a record besides its texts: objects and numbers. */
const RECORD_BYTES = 128;

export interface QueueOptions {
  readonly partition: number;
  readonly start: number;
  readonly maxRecords: number;
  readonly onBatch: BatchHandler;
  /** Called after a batch, when {@link PartitionQueue.position} has advanced. */
  readonly onMoved: (queue: PartitionQueue) => void;
  readonly onFault: Delivery['onFault'];
}

/** Queues the fetched records of one partition and passes them to the handler, batch by batch. */
export class PartitionQueue {
  readonly partition: number;
  /** Offset that the next fetched records must start from. */
  nextFetch: number;
  /** Offset of the next record to be handled. */
  position: number;
  /** Bytes held at present, including the batch in progress. */
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

  /** Adds the records that were fetched from {@link nextFetch} up to `nextFetch` (exclusive); gaps are allowed. */
  offer(records: readonly LogRecord[], nextFetch: number): void {
    this.nextFetch = nextFetch;
    this.waiting = [...this.waiting, ...records];
    this.bytes += bytesOf(records);
    if (this.waiting.length === 0) this.moveTo(nextFetch);
    else this.work ??= this.handleAll();
  }

  /** Whether a batch is in progress. */
  get isAtWork(): boolean {
    return this.work !== undefined;
  }

  /** Resolves once the batch in progress has ended; no other begins. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.work;
  }

  /** It is over in the turn in which nothing waits any more: what is offered after that begins anew. */
  private async handleAll(): Promise<void> {
    while (this.waiting.length > 0 && (await this.handleNext()));
    this.work = undefined;
  }

  /** @returns false: it was stopped. */
  private async handleNext(): Promise<boolean> {
    const batch = this.waiting.slice(0, this.options.maxRecords);
    if (!(await deliver(this.partition, batch, this.delivery))) return false;
    this.waiting = this.waiting.slice(batch.length);
    this.bytes -= bytesOf(batch);
    this.moveTo(this.waiting[0]?.offset ?? this.nextFetch);
    return true;
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
