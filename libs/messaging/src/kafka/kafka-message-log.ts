import {
  type AppendOptions,
  type Follow,
  LogUnavailable,
  MessageLog,
  type NewMessage,
  type Position,
  type Reader,
  type Subscribe,
  type Subscription,
  type TopicSpec,
} from '../message-log';
import { AdminClient } from './admin-client';
import { Appender } from './appender';
import { kafkaClient, type KafkaClientOptions, type KafkaLogger } from './kafka-client';
import { KafkaReader } from './kafka-reader';
import { KafkaSubscription } from './kafka-subscription';
import { Topics } from './topics';

const PING_TIMEOUT_MS = 2_000;
const DEFAULT_BUFFER_BYTES = 67_108_864;

export interface KafkaMessageLogOptions extends KafkaClientOptions {
  /** Bytes that may wait to be appended before the log is overloaded. Default 64 MiB. */
  readonly maxBufferedBytes?: number;
}

/**
 * The log on Kafka. Connects when it is first used, and again by itself; brokers that are away are an answer
 * ({@link LogUnavailable}), never an end.
 *
 * A partition goes to another member only after the batch in hand and `onRevoked` have ended, with two ends to
 * it: a rebalance waits 120 s for a member, and a member that cannot reach the brokers, or whose event loop
 * stands still, is out of its group after 15 s. Then two members may work on a partition for a while: whoever
 * cannot have that fences its writes.
 */
export class KafkaMessageLog extends MessageLog {
  private readonly admin: AdminClient;
  private readonly topics: Topics;
  private readonly appender: Appender;
  private readonly running = new Set<Subscription | Reader>();
  private readonly logger: KafkaLogger;
  private closed: Promise<void> | undefined;

  constructor(private readonly options: KafkaMessageLogOptions) {
    super();
    const { maxBufferedBytes = DEFAULT_BUFFER_BYTES, logger = () => undefined } = options;
    this.logger = logger;
    const kafka = kafkaClient(options);
    this.admin = new AdminClient(kafka);
    this.topics = new Topics(this.admin);
    this.appender = new Appender(kafka, this.topics, maxBufferedBytes);
  }

  override ensureTopics(topics: readonly TopicSpec[]): Promise<void> {
    return this.topics.ensure(topics);
  }

  override partitionsOf(topic: string): Promise<number> {
    return this.topics.partitionsOf(topic);
  }

  override append(
    topic: string,
    messages: readonly NewMessage[],
    options?: AppendOptions,
  ): Promise<readonly Position[]> {
    return this.appender.append(topic, messages, options);
  }

  override async subscribe(subscribe: Subscribe): Promise<Subscription> {
    this.refuseWhenClosed();
    const partitions = await this.topics.partitionsOf(subscribe.topic);
    this.refuseWhenClosed();
    return this.keep(
      new KafkaSubscription(subscribe, partitions, this.topics, this.options, this.logger),
    );
  }

  override async follow(follow: Follow): Promise<Reader> {
    this.refuseWhenClosed();
    await this.topics.partitionsOf(follow.topic);
    const ranges = await this.topics.ranges(follow.topic);
    this.refuseWhenClosed();
    return this.keep(new KafkaReader(follow, ranges, this.topics, this.options, this.logger));
  }

  override async endOffsets(topic: string): Promise<readonly number[]> {
    return (await this.topics.ranges(topic)).map(({ end }) => end);
  }

  override async beginningOffsets(topic: string): Promise<readonly number[]> {
    return (await this.topics.ranges(topic)).map(({ begin }) => begin);
  }

  override offsetsAt(topic: string, timestampMs: number): Promise<readonly number[]> {
    return this.topics.offsetsAt(topic, timestampMs);
  }

  override async ping(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(new LogUnavailable(`no answer from Kafka within ${PING_TIMEOUT_MS} ms`));
      }, PING_TIMEOUT_MS);
    });
    try {
      await Promise.race([this.admin.ask((admin) => admin.describeCluster()), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  override close(): Promise<void> {
    return (this.closed ??= this.finish());
  }

  private async finish(): Promise<void> {
    await Promise.all([this.appender.close(), ...[...this.running].map((one) => one.stop())]);
    await this.admin.close();
  }

  private keep<T extends Subscription | Reader>(one: T): T {
    this.running.add(one);
    void one.ended.then(() => this.running.delete(one));
    return one;
  }

  private refuseWhenClosed(): void {
    if (this.closed) throw new LogUnavailable('the log is closed');
  }
}
