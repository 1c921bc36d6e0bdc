import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import type { Follow, Reader } from '../message-log';
import { type KafkaClientOptions, kafkaClient } from './kafka-client';
import type { KafkaLogger } from './kafka-logger';
import { withoutGroup } from './membership';
import { TopicConsumer } from './topic-consumer';
import type { OffsetRange, Topics } from './topics';

/** Interval at which `caughtUp` checks whether the records that it waits for have been dropped. */
const LOOK_MS = 1_000;

/** Reads all partitions without a group; its positions are kept in memory only. */
export class KafkaReader implements Reader {
  /** A reader never ends by itself: it restarts until it is stopped. */
  readonly ended: Promise<undefined>;
  private readonly positions: number[];
  private readonly consumer: TopicConsumer;
  private isStopped = false;
  private readonly progress = new EventEmitter().setMaxListeners(0);

  /** @param ranges offsets of the topic's partitions at the call of `follow`, from which it starts. */
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

  /** Whether each partition was read up to its target, or the missing records have been dropped. */
  private isAt(targets: readonly OffsetRange[], present: readonly OffsetRange[]): boolean {
    if (this.isStopped) throw new Error(`the reader of ${this.follow.topic} was stopped`);
    return targets.every(({ end }, partition) => {
      const begin = present[partition]?.begin ?? 0;
      return Math.max(this.positions[partition] ?? 0, begin) >= end;
    });
  }

  /** @returns false when nothing has moved for {@link LOOK_MS}. */
  private async untilMoved(): Promise<boolean> {
    const signal = AbortSignal.timeout(LOOK_MS);
    return once(this.progress, 'moved', { signal }).then(
      () => true,
      () => false,
    );
  }
}
