import type { Kafka } from 'kafkajs';
import { LogUnavailable } from '../message-log';
import { within } from '../within';
import { isRefusal, isUnknownTopic, typesOf } from './kafka-errors';
import { type Broker, type Cluster, newCluster } from './kafkajs-internals';
import { backoffMs, pause } from './pause';

const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 500;
/** Limit for requests in progress at a broker that hangs. */
const CLOSE_TIMEOUT_MS = 2_000;

interface Link {
  readonly cluster: Cluster;
  /** Topics whose leaders it knows. */
  readonly topics: Set<string>;
}

/**
 * Connections to the leaders of partitions. kafkajs' client recovers from a few failures only; after any other it is
 * replaced by a new one, which looks the leaders up again.
 */
export class Brokers {
  private present: Promise<Link> | undefined;
  private isClosed = false;

  constructor(private readonly kafka: Kafka) {}

  /** Maps the partitions of a topic to the nodes that lead them; a partition without a leader is left out. */
  async leaders(topic: string): Promise<ReadonlyMap<number, number>> {
    const { cluster, topics } = await this.link();
    if (!topics.has(topic)) await cluster.addMultipleTargetTopics([topic]);
    topics.add(topic);
    const led = cluster.findTopicPartitionMetadata(topic).filter(({ leader }) => leader >= 0);
    return new Map(led.map(({ partitionId, leader }) => [partitionId, leader]));
  }

  /** Returns a connected node. */
  async node(nodeId: number): Promise<Broker> {
    return (await this.link()).cluster.findBroker({ nodeId: String(nodeId) });
  }

  /**
   * Sends a request to the leader of a partition, and retries it, also after an election.
   *
   * @throws LogUnavailable when there is no answer in time, KafkaJSError when a retry would not help.
   */
  async ask<T>(
    topic: string,
    partition: number,
    timeoutMs: number,
    question: (broker: Broker, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const late = new AbortController();
    try {
      return await within(
        timeoutMs,
        'Kafka',
        this.askUntilAnswered(topic, partition, question, late.signal),
      );
    } catch (error) {
      if (error instanceof LogUnavailable) void this.drop();
      throw error;
    } finally {
      late.abort();
    }
  }

  /** Refreshes leaders or reconnects. To be called with the failure before a retry. */
  async renew(cause: unknown): Promise<void> {
    const { present } = this;
    if (!present) return;
    const hasLeaderMoved = typesOf(cause).length > 0;
    const refreshed =
      hasLeaderMoved &&
      (await present
        .then(({ cluster }) => cluster.refreshMetadata())
        .then(
          () => true,
          () => false,
        ));
    if (!refreshed && this.present === present) void this.drop();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.drop();
  }

  private async askUntilAnswered<T>(
    topic: string,
    partition: number,
    question: (broker: Broker, signal: AbortSignal) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const leader = (await this.leaders(topic)).get(partition);
        if (leader === undefined)
          throw new Error(`partition ${partition} of ${topic} has no leader`);
        return await question(await this.node(leader), signal);
      } catch (cause) {
        if (isRefusal(cause) && !isUnknownTopic(cause)) throw cause;
        await this.renew(cause);
        if (signal.aborted) throw cause;
        await pause(backoffMs(attempt, FIRST_RETRY_MS, LAST_RETRY_MS), signal);
      }
    }
  }

  private link(): Promise<Link> {
    if (this.isClosed) throw new LogUnavailable('the log is closed');
    return (this.present ??= this.connected());
  }

  private async connected(): Promise<Link> {
    const cluster = newCluster(this.kafka);
    await cluster.connect();
    return { cluster, topics: new Set() };
  }

  private async drop(): Promise<void> {
    const { present } = this;
    this.present = undefined;
    if (!present) return;
    const closed = new AbortController();
    const close = present.then(({ cluster }) => cluster.disconnect());
    void close
      .catch(() => undefined)
      .then(() => {
        closed.abort();
      });
    await pause(CLOSE_TIMEOUT_MS, closed.signal);
  }
}
