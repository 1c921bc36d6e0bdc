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
import type { LogSlice } from '../log-slice';
import type { PartitionReader, ReadPartitions } from '../partition-reader';
import type { TopicOwner } from '../topic-owner';
import { checkOffset, checkPartition, READ_TIMEOUT_MS } from '../read-limits';
import { within } from '../within';
import { AdminClient } from './admin-client';
import { Appender } from './appender';
import { Brokers } from './brokers';
import { FaultLog } from './fault-log';
import { endOf } from './fetch';
import { kafkaClient, type KafkaClientOptions } from './kafka-client';
import type { KafkaLogger } from './kafka-logger';
import { KafkaPartitionReader } from './kafka-partition-reader';
import { KafkaReader } from './kafka-reader';
import { KafkaSubscription } from './kafka-subscription';
import { OwnerMark } from './owner-mark';
import type { Replication } from './replication';
import { readSlice } from './slice';
import { Topics } from './topics';

const PING_TIMEOUT_MS = 2_000;
const DEFAULT_BUFFER_BYTES = 67_108_864;
const DEFAULT_SHARED_MS = 250;

/** Longer than the election of a leader takes in a healthy cluster. */
const DEFAULT_ENDS_TIMEOUT_MS = 1_000;

/** Addresses of the brokers, and limits for appends. */
export interface KafkaMessageLogOptions extends KafkaClientOptions {
  /** Bytes that may wait to be appended before the log is overloaded. Default 64 MiB. */
  readonly maxBufferedBytes?: number;
  /**
   * Milliseconds for which a look-up of a topic's end is reused for appends that depend on it (`unlessMoved`): for that
   * time, an append may succeed although the topic had moved before the call. 0: a look-up after each call. Default
   * 250, since 0 costs more than a twentieth of a route's throughput: measured with an HTTP route before a single
   * broker, one event a request, 64 and 256 callers, 19 and 12 % fewer requests and 12 to 31 % more CPU a request with
   * 0; 3 and 6 % fewer, 2 % more with 250.
   */
  readonly endsSharedForMs?: number;
  /**
   * Milliseconds after which such a look-up has failed when the brokers do not answer it, and with it the appends that
   * wait for it. Default 1,000.
   */
  readonly endsTimeoutMs?: number;
  /**
   * Milliseconds after which a group goes on without a member that has not been heard from. Default 15,000; brokers
   * accept no less than 6,000 by default.
   */
  readonly sessionTimeoutMs?: number;
  /** Of topics that this log makes; existing ones are not changed. */
  readonly replication?: Replication;
}

/** Something that is stopped with the log. */
interface Ending {
  readonly ended: Promise<unknown>;
  stop(): Promise<void>;
}

/**
 * The log on Kafka. Connects on first use, and reconnects by itself; an outage of the brokers rejects calls with
 * {@link LogUnavailable} and never ends the log.
 *
 * A partition goes to another member only after the batch in progress and `onRevoked` have ended, with two exceptions:
 * a rebalance waits 120 s for a member, and a member that cannot reach the brokers, or whose event loop is blocked, is
 * removed from its group after 15 s. Then two members may work on a partition for a while: a caller that cannot
 * tolerate this must fence its writes.
 */
export class KafkaMessageLog extends MessageLog {
  private readonly admin: AdminClient;
  private readonly topics: Topics;
  private readonly appender: Appender;
  private readonly mark: OwnerMark;
  /** Connections for reading slices. */
  private readonly brokers: Brokers;
  /** Connections for look-ups of ends that appends depend on, so that these do not queue behind a large answer. */
  private readonly guards: Brokers;
  private readonly running = new Set<Ending>();
  private readonly logger: KafkaLogger;
  private readonly client: KafkaMessageLogOptions;
  private closed: Promise<void> | undefined;

  constructor(options: KafkaMessageLogOptions) {
    super();
    const { logger = () => undefined, endsSharedForMs = DEFAULT_SHARED_MS } = options;
    const { maxBufferedBytes = DEFAULT_BUFFER_BYTES } = options;
    const { endsTimeoutMs = DEFAULT_ENDS_TIMEOUT_MS } = options;
    this.logger = new FaultLog(logger).log;
    this.client = { ...options, logger: this.logger };
    const kafka = kafkaClient(this.client);
    this.admin = new AdminClient(kafka);
    this.topics = new Topics(this.admin, options.replication, (fault) => {
      logger('warn', fault, {});
    });
    this.brokers = new Brokers(kafka);
    this.guards = new Brokers(kafka);
    this.appender = new Appender(kafka, this.topics, {
      maxBufferedBytes,
      sharedForMs: endsSharedForMs,
      lookUpTimeoutMs: endsTimeoutMs,
      endOf: (topic, timeoutMs) =>
        this.guards.ask(topic, 0, timeoutMs, (broker) => endOf(broker, topic, 0)),
    });
    this.mark = new OwnerMark({
      topics: this.topics,
      first: async (topic) => (await this.read(topic, 0, 0, 1)).records[0],
      append: (topic, messages) => this.append(topic, messages),
    });
  }

  override async ensureTopics(topics: readonly TopicSpec[], owner?: TopicOwner): Promise<void> {
    if (owner !== undefined) await this.mark.claim(topics, owner);
    await this.topics.ensure(topics);
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
      new KafkaSubscription(subscribe, partitions, this.topics, this.client, this.logger),
    );
  }

  override async follow(follow: Follow): Promise<Reader> {
    this.refuseWhenClosed();
    await this.topics.partitionsOf(follow.topic);
    const ranges = await this.topics.ranges(follow.topic);
    this.refuseWhenClosed();
    return this.keep(new KafkaReader(follow, ranges, this.topics, this.client, this.logger));
  }

  override async readPartitions(options: ReadPartitions): Promise<PartitionReader> {
    this.refuseWhenClosed();
    const partitions = await this.topics.partitionsOf(options.topic);
    this.refuseWhenClosed();
    const brokers = new Brokers(kafkaClient(this.client));
    const reader = new KafkaPartitionReader(options, partitions, brokers, this.logger);
    this.keep({ ended: reader.ended, stop: () => reader.close() });
    return reader;
  }

  override async read(
    topic: string,
    partition: number,
    offset: number,
    maxBytes: number,
  ): Promise<LogSlice> {
    this.refuseWhenClosed();
    checkOffset(offset);
    const partitions = this.topics.partitionsOf(topic);
    checkPartition(topic, await within(READ_TIMEOUT_MS, 'Kafka', partitions), partition);
    return this.brokers.ask(topic, partition, READ_TIMEOUT_MS, (broker, signal) =>
      readSlice(broker, { topic, partition, offset, maxBytes }, signal),
    );
  }

  override async identity(): Promise<string> {
    return (await this.admin.ask((admin) => admin.describeCluster())).clusterId;
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
    await Promise.all([this.admin.close(), this.brokers.close(), this.guards.close()]);
  }

  private keep<T extends Ending>(one: T): T {
    this.running.add(one);
    void one.ended.then(() => this.running.delete(one));
    return one;
  }

  private refuseWhenClosed(): void {
    if (this.closed) throw new LogUnavailable('the log is closed');
  }
}
