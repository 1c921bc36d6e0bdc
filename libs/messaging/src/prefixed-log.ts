import type { LogSlice } from './log-slice';
import {
  type AppendOptions,
  type Follow,
  MessageLog,
  type NewMessage,
  type Position,
  type Reader,
  type Subscribe,
  type Subscription,
  type TopicSpec,
} from './message-log';
import type { PartitionReader, ReadPartitions } from './partition-reader';
import { TopicMoved } from './topic-moved';
import type { TopicOwner } from './topic-owner';

/**
 * A part of a log: the topics and groups whose names begin with a prefix, under their names without it. Its identity
 * contains the prefix, since positions of one part mean nothing in another. Closing it closes the log.
 */
export class PrefixedLog extends MessageLog {
  /** @param prefix not empty. */
  constructor(
    private readonly log: MessageLog,
    private readonly prefix: string,
  ) {
    super();
  }

  override ensureTopics(topics: readonly TopicSpec[], owner?: TopicOwner): Promise<void> {
    return this.log.ensureTopics(
      topics.map((spec) => ({ ...spec, name: this.named(spec.name) })),
      owner && { ...owner, marker: this.named(owner.marker) },
    );
  }

  override partitionsOf(topic: string): Promise<number> {
    return this.log.partitionsOf(this.named(topic));
  }

  override async append(
    topic: string,
    messages: readonly NewMessage[],
    { unlessMoved, ...options }: AppendOptions = {},
  ): Promise<readonly Position[]> {
    if (unlessMoved === undefined) return this.log.append(this.named(topic), messages, options);
    const condition = { ...unlessMoved, topic: this.named(unlessMoved.topic) };
    try {
      return await this.log.append(this.named(topic), messages, {
        ...options,
        unlessMoved: condition,
      });
    } catch (error) {
      if (error instanceof TopicMoved) throw new TopicMoved(unlessMoved.topic, error.end);
      throw error;
    }
  }

  override subscribe(options: Subscribe): Promise<Subscription> {
    const [topic, group] = [this.named(options.topic), this.named(options.group)];
    return this.log.subscribe({ ...options, topic, group });
  }

  override follow(options: Follow): Promise<Reader> {
    return this.log.follow({ ...options, topic: this.named(options.topic) });
  }

  override readPartitions(options: ReadPartitions): Promise<PartitionReader> {
    return this.log.readPartitions({ ...options, topic: this.named(options.topic) });
  }

  override read(
    topic: string,
    partition: number,
    offset: number,
    maxBytes: number,
  ): Promise<LogSlice> {
    return this.log.read(this.named(topic), partition, offset, maxBytes);
  }

  override endOffsets(topic: string): Promise<readonly number[]> {
    return this.log.endOffsets(this.named(topic));
  }

  override beginningOffsets(topic: string): Promise<readonly number[]> {
    return this.log.beginningOffsets(this.named(topic));
  }

  override offsetsAt(topic: string, timestampMs: number): Promise<readonly number[]> {
    return this.log.offsetsAt(this.named(topic), timestampMs);
  }

  override async identity(): Promise<string> {
    return `${await this.log.identity()}/${this.prefix}`;
  }

  override ping(): Promise<void> {
    return this.log.ping();
  }

  override close(): Promise<void> {
    return this.log.close();
  }

  private named(name: string): string {
    return `${this.prefix}${name}`;
  }
}
