import { type Subscribe, type Subscription } from '../message-log';
import type { Assignment } from './assignment';
import { Committer } from './committer';
import { type KafkaClientOptions, kafkaClient } from './kafka-client';
import type { KafkaLogger } from './kafka-logger';
import { releasingBefore } from './membership';
import { TopicConsumer } from './topic-consumer';
import type { Topics } from './topics';

/** How a member is connected, and how long its group waits for it. */
interface SubscriptionOptions extends KafkaClientOptions {
  /** Milliseconds without heartbeats; default: see {@link TopicConsumer}. */
  readonly sessionTimeoutMs?: number;
}

/** A member of a consumer group. */
export class KafkaSubscription implements Subscription {
  /** A subscription never ends by itself: it restarts until it is stopped. */
  readonly ended: Promise<undefined>;
  private readonly committers = new WeakMap<Assignment, Committer>();
  private readonly consumer: TopicConsumer;

  constructor(
    private readonly subscribe: Subscribe,
    partitionCount: number,
    private readonly topics: Topics,
    client: SubscriptionOptions,
    private readonly logger: KafkaLogger,
  ) {
    const { topic, group, onBatch, maxRecords = 500 } = subscribe;
    this.consumer = new TopicConsumer({
      topic,
      group,
      partitionCount,
      onBatch,
      maxRecords,
      logger,
      ...(client.sessionTimeoutMs !== undefined && { sessionTimeoutMs: client.sessionTimeoutMs }),
      kafka: (retries) => kafkaClient(client, retries),
      assigner: releasingBefore,
      startAt: (partitions) => this.startAt(partitions),
      ranges: () => topics.ranges(topic),
      onMoved: (assignment, partition, position) => {
        if (!subscribe.onAssigned) this.committerOf(assignment).handledUpTo(partition, position);
      },
      onEnd: (assignment) => this.onEnd(assignment),
    });
    this.ended = this.consumer.stopped.then(() => undefined);
  }

  async commit(partition: number, nextOffset: number): Promise<void> {
    const { assignment } = this.consumer;
    if (!assignment?.partitions.includes(partition))
      throw new Error(`partition ${partition} of ${this.subscribe.topic} is not assigned`);
    await this.committerOf(assignment).commit(new Map([[partition, nextOffset]]));
  }

  stop(): Promise<void> {
    return this.consumer.stop();
  }

  /** Determines a start for every partition, so that kafkajs' own defaults never apply. */
  private async startAt(partitions: readonly number[]): Promise<ReadonlyMap<number, number>> {
    const { topic, group, onAssigned } = this.subscribe;
    const given = (await onAssigned?.(partitions)) ?? new Map<number, number>();
    const isGiven = partitions.every((partition) => given.has(partition));
    const committed = isGiven ? given : await this.topics.committed(group, topic);
    const ranges = await this.topics.ranges(topic);
    return new Map(
      partitions.map((partition) => {
        const { begin = 0, end = 0 } = ranges[partition] ?? {};
        const start = given.get(partition) ?? committed.get(partition) ?? begin;
        return [partition, Math.min(end, Math.max(begin, start))];
      }),
    );
  }

  private async onEnd(assignment: Assignment): Promise<void> {
    try {
      await this.subscribe.onRevoked?.(assignment.partitions);
    } finally {
      await this.committers.get(assignment)?.close();
    }
  }

  private committerOf(assignment: Assignment): Committer {
    const known = this.committers.get(assignment);
    if (known) return known;
    const committer = new Committer(assignment.consumer, this.subscribe.topic, this.logger);
    this.committers.set(assignment, committer);
    return committer;
  }
}
