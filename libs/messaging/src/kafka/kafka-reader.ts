import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import type { Follow, Reader } from '../message-log';
import { type KafkaClientOptions, kafkaClient, type KafkaLogger } from './kafka-client';
import { withoutGroup } from './membership';
import { TopicConsumer } from './topic-consumer';
import type { OffsetRange, Topics } from './topics';

/** How often one that waits looks whether what it waits for has been dropped from the log meanwhile. */
const LOOK_MS = 1_000;

/** Reads all partitions without a group; its positions live and end with it. */
export class KafkaReader implements Reader {
  /** A reader never ends by itself: it starts over until it is stopped. */
  readonly ended: Promise<undefined>;
  private readonly positions: number[];
  private readonly consumer: TopicConsumer;
  private isStopped = false;
  private readonly progress = new EventEmitter().setMaxListeners(0);

  /** @param ranges of the topic's partitions when the reader was asked for: where it starts. */
  constructor(
    private readonly follow: Follow,
    ranges: readonly OffsetRange[],
    private readonly topics: Topics,
    client: KafkaClientOptions,
    logger: KafkaLogger,
  ) {
    const { topic, from, otherwise = 'beginning', onBatch, maxRecords = 500 } = follow;
    this.positions = ranges.map(({ begin, end }, partition) => {
      const start = from?.get(partition) ?? (otherwise === 'end' ? end : begin);
      return Math.min(end, Math.max(begin, start));
    });
    this.consumer = new TopicConsumer({
      topic,
      group: `reader-${randomUUID()}`,
      partitionCount: ranges.length,
      onBatch,
      maxRecords,
      logger,
      kafka: (retries) => kafkaClient(client, retries),
      assigner: withoutGroup,
      startAt: () => Promise.resolve(new Map(this.positions.entries())),
      ranges: () => topics.ranges(topic),
      onMoved: (_, partition, position) => {
        this.positions[partition] = position;
        this.progress.emit('moved');
      },
      onEnd: () => Promise.resolve(),
    });
    this.ended = this.consumer.stopped.then(() => undefined);
  }

  async caughtUp(): Promise<void> {
    const targets = await this.topics.ranges(this.follow.topic);
    for (let ranges = targets; !this.isAt(targets, ranges);) {
      if (await this.untilMoved()) continue;
      ranges = await this.topics.ranges(this.follow.topic).catch(() => ranges);
    }
  }

  stop(): Promise<void> {
    this.isStopped = true;
    this.progress.emit('moved');
    return this.consumer.stop();
  }

  /** Whether each partition was read up to its target, or what was missing has been dropped from the log. */
  private isAt(targets: readonly OffsetRange[], present: readonly OffsetRange[]): boolean {
    if (this.isStopped) throw new Error(`the reader of ${this.follow.topic} was stopped`);
    return targets.every(({ end }, partition) => {
      const begin = present[partition]?.begin ?? 0;
      return Math.max(this.positions[partition] ?? 0, begin) >= end;
    });
  }

  /** @returns false when nothing has moved for a while. */
  private async untilMoved(): Promise<boolean> {
    const signal = AbortSignal.timeout(LOOK_MS);
    return once(this.progress, 'moved', { signal }).then(
      () => true,
      () => false,
    );
  }
}
