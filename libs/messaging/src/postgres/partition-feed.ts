import type { PartitionReader, ReadPartitions } from '../partition-reader';
import { checkOffset, checkPartition } from '../read-limits';
import type { Database } from './database';
import { Feed } from './feed';
import type { LogEnds } from './log-ends';
import type { Topic } from './topics';

export interface PartitionFeedOptions extends ReadPartitions {
  readonly onFault: (what: string, error: unknown) => void;
}

/** Reads single partitions of a topic from given offsets. */
export class PartitionFeed implements PartitionReader {
  readonly ended: Promise<void>;
  private readonly feed: Feed;
  private closing: Promise<void> | undefined;
  private end!: () => void;

  constructor(
    database: Database,
    private readonly ends: LogEnds,
    private readonly topic: Topic,
    options: PartitionFeedOptions,
  ) {
    const { onBatch, maxRecords, onFault } = options;
    this.feed = new Feed(database, ends, { topic, onBatch, maxRecords, onFault });
    this.ended = new Promise((resolve) => (this.end = resolve));
  }

  /** Queries the present ends; later ones are received as notifications. @throws LogUnavailable */
  async open(): Promise<void> {
    await this.ends.look(this.topic.partitionIds);
  }

  start(partition: number, offset: number): void {
    checkPartition(this.topic.name, this.topic.partitionIds.length, partition);
    checkOffset(offset);
    if (!this.closing) this.feed.add(partition, offset);
  }

  stop(partition: number): Promise<void> {
    return this.feed.remove([partition]);
  }

  close(): Promise<void> {
    this.closing ??= this.feed.close().then(this.end);
    return this.closing;
  }
}
