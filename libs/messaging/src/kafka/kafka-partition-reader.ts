import type { PartitionReader, ReadPartitions } from '../partition-reader';
import { checkOffset, checkPartition } from '../read-limits';
import type { Brokers } from './brokers';
import { Flow } from './flow';
import type { KafkaLogger } from './kafka-logger';
import { QueueFetcher } from './queue-fetcher';
import { PartitionQueue } from './partition-queue';

const MAX_RECORDS = 500;

/**
 * Reads single partitions from given offsets with its own fetches: without a group, and with positions only in its
 * queues.
 */
export class KafkaPartitionReader implements PartitionReader {
  /** Resolves when the reader has been closed. */
  readonly ended: Promise<void>;
  private readonly queues = new Map<number, PartitionQueue>();
  /** Queues whose partition still has a batch in progress from before a move. */
  private readonly blocked = new WeakSet<PartitionQueue>();
  private readonly departures = new Map<number, Promise<void>>();
  private readonly flow = new Flow(this.queues);
  private readonly fetcher: QueueFetcher;
  private closing: Promise<void> | undefined;
  private end!: () => void;

  constructor(
    private readonly options: ReadPartitions,
    private readonly partitionCount: number,
    private readonly brokers: Brokers,
    private readonly logger: KafkaLogger,
  ) {
    this.ended = new Promise((resolve) => (this.end = resolve));
    this.fetcher = new QueueFetcher({
      topic: options.topic,
      brokers,
      queues: this.queues,
      hasRoom: (queue) => !this.blocked.has(queue) && this.hasRoom(queue),
      logger,
    });
  }

  start(partition: number, offset: number): void {
    checkPartition(this.options.topic, this.partitionCount, partition);
    checkOffset(offset);
    if (this.closing) return;
    const before = this.depart(partition);
    const queue = this.newQueue(partition, offset);
    this.queues.set(partition, queue);
    if (before) this.unblockAfter(before, queue);
    else this.fetcher.kick();
  }

  async stop(partition: number): Promise<void> {
    await this.depart(partition);
  }

  close(): Promise<void> {
    return (this.closing ??= this.finish());
  }

  private async finish(): Promise<void> {
    this.fetcher.close();
    const partitions = new Set([...this.queues.keys(), ...this.departures.keys()]);
    await Promise.all([...partitions].map((partition) => this.stop(partition)));
    await this.brokers.close();
    this.end();
  }

  private newQueue(partition: number, start: number): PartitionQueue {
    const { topic, onBatch, maxRecords = MAX_RECORDS } = this.options;
    return new PartitionQueue({
      partition,
      start,
      maxRecords,
      onBatch,
      onMoved: () => {
        this.fetcher.kick();
      },
      onFault: (what, error) => {
        this.logger('error', what, { topic, partition, error });
      },
    });
  }

  /** Removes the partition. @returns a promise for the end of its batch in progress, if there is one. */
  private depart(partition: number): Promise<void> | undefined {
    const queue = this.queues.get(partition);
    this.queues.delete(partition);
    if (!queue?.isAtWork) return this.departures.get(partition);
    const departure = queue.stop().then(() => {
      if (this.departures.get(partition) === departure) this.departures.delete(partition);
    });
    this.departures.set(partition, departure);
    return departure;
  }

  private unblockAfter(before: Promise<void>, queue: PartitionQueue): void {
    this.blocked.add(queue);
    void before.then(() => {
      this.blocked.delete(queue);
      this.fetcher.kick();
    });
  }

  private hasRoom(queue: PartitionQueue): boolean {
    return this.flow.hasRoom(queue);
  }
}
