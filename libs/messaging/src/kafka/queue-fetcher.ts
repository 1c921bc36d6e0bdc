import type { Brokers } from './brokers';
import { beginningOf, endOf, fetch, OUT_OF_RANGE } from './fetch';
import type { FetchedPartition } from './fetch-frame';
import type { KafkaLogger } from './kafka-logger';
import { type Broker, protocolError } from './kafkajs-internals';
import { logRecord } from './log-record';
import type { PartitionQueue } from './partition-queue';
import { backoffMs, pause } from './pause';
import { decodeRecordSet, type RecordSet } from './record-set';

/** Limit for a fetch without new records, and so for the delay of a partition that is started or has room again. */
const FETCH_WAIT_MS = 100;
/** The same while a queue is full, since it may have room at any moment. */
const SHORT_WAIT_MS = 50;
/** The same after {@link QUIET_FETCHES}: what nobody writes to costs the broker and this process little. */
const QUIET_WAIT_MS = 400;
/** Fetches of a node that have found nothing, one after the other. */
const QUIET_FETCHES = 20;
/**
 * Bytes of one partition in one fetch: Kafka's default message.max.bytes, which bounds a batch. After the first
 * partition with records, others get whole batches only as far as they fit.
 */
const FETCH_PARTITION_BYTES = 1_048_588;
const FETCH_BYTES = 4_194_304;

/** Pause of a queue whose offset is above the end, or whose partition has failed. */
const REST_MS = 200;
/** Pause after an immediate answer without records. */
const EMPTY_MS = 10;
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 1_000;

/** Kafka's error code LEADER_NOT_AVAILABLE. */
const LEADER_NOT_AVAILABLE = 5;

/** Stands for the node id while leaders are unknown. */
const NO_NODE = -1;

export interface QueueFetcherOptions {
  readonly topic: string;
  readonly brokers: Brokers;
  /** The queues to fetch for. */
  readonly queues: ReadonlyMap<number, PartitionQueue>;
  /** Whether a queue accepts records at present. */
  readonly hasRoom: (queue: PartitionQueue) => boolean;
  readonly logger: KafkaLogger;
}

/** Fetches for queues: from each leader one fetch at a time, for all of its queues. */
export class QueueFetcher {
  private readonly busyNodes = new Set<number>();
  private readonly resting = new WeakSet<PartitionQueue>();
  private readonly closing = new AbortController();
  private looking: Promise<void> | undefined;
  private isRepeatRequested = false;
  /** Consecutive failures, by node. */
  private readonly failures = new Map<number, number>();
  /** Consecutive fetches that have found nothing, by node. */
  private readonly empty = new Map<number, number>();
  private turn = 0;

  constructor(private readonly options: QueueFetcherOptions) {}

  /** Starts fetching. To be called when a queue was added, or has room again. */
  kick(): void {
    if (this.closing.signal.aborted) return;
    this.isRepeatRequested = true;
    this.looking ??= this.look().finally(() => {
      this.looking = undefined;
      if (this.isRepeatRequested) this.kick();
    });
  }

  /** Stops fetching. */
  close(): void {
    this.closing.abort();
  }

  private async look(): Promise<void> {
    this.isRepeatRequested = false;
    const { brokers, topic } = this.options;
    if (this.fetchable().length === 0) return;
    try {
      const leaders = await brokers.leaders(topic);
      this.failures.delete(NO_NODE);
      for (const nodeId of new Set(leaders.values())) this.serve(nodeId, leaders);
      if (this.fetchable().some(({ partition }) => !leaders.has(partition)))
        throw protocolError(LEADER_NOT_AVAILABLE);
    } catch (error) {
      await this.recover(NO_NODE, error);
      this.isRepeatRequested = true;
    }
  }

  private fetchable(): readonly PartitionQueue[] {
    const { queues, hasRoom } = this.options;
    return [...queues.values()].filter((queue) => hasRoom(queue) && !this.resting.has(queue));
  }

  private serve(nodeId: number, leaders: ReadonlyMap<number, number>): void {
    const queues = this.fetchable().filter(({ partition }) => leaders.get(partition) === nodeId);
    if (queues.length === 0 || this.busyNodes.has(nodeId)) return;
    this.busyNodes.add(nodeId);
    void this.fetchFrom(nodeId, queues)
      .then(
        () => this.failures.delete(nodeId),
        (error: unknown) => this.recover(nodeId, error),
      )
      .finally(() => {
        this.busyNodes.delete(nodeId);
        this.kick();
      });
  }

  private async fetchFrom(nodeId: number, queues: readonly PartitionQueue[]): Promise<void> {
    const { brokers, topic } = this.options;
    const broker = await brokers.node(nodeId);
    const wanted = new Map(this.rotated(queues).map((queue) => [queue.partition, queue]));
    const offsets = new Map(queues.map(({ partition, nextFetch }) => [partition, nextFetch]));
    const startMs = performance.now();
    const maxWaitMs = this.waitOf(nodeId);
    const fetched = await fetch(broker, {
      topic,
      partitions: [...wanted.values()].map(({ partition, nextFetch }) => ({
        partition,
        offset: nextFetch,
      })),
      maxWaitMs,
      maxBytes: FETCH_BYTES,
      maxPartitionBytes: FETCH_PARTITION_BYTES,
    });
    let hasMoved = false;
    for (const answer of fetched) {
      const [queue, offset] = [wanted.get(answer.partition), offsets.get(answer.partition)];
      if (!queue || offset === undefined) continue;
      hasMoved = (await this.take(broker, queue, offset, answer)) || hasMoved;
    }
    this.empty.set(nodeId, hasMoved ? 0 : (this.empty.get(nodeId) ?? 0) + 1);
    if (!hasMoved && performance.now() - startMs < maxWaitMs / 2)
      await pause(EMPTY_MS, this.closing.signal);
  }

  /** Rotates the queues, since a broker fills its answer from the front. */
  private rotated(queues: readonly PartitionQueue[]): readonly PartitionQueue[] {
    this.turn += 1;
    const first = this.turn % queues.length;
    return [...queues.slice(first), ...queues.slice(0, first)];
  }

  /**
   * Handles the answer for one partition; an error affects this partition only.
   *
   * @returns whether the queue has advanced.
   */
  private async take(
    broker: Broker,
    queue: PartitionQueue,
    offset: number,
    answer: FetchedPartition,
  ): Promise<boolean> {
    const { topic, brokers, logger } = this.options;
    try {
      if (answer.errorCode === OUT_OF_RANGE) return await this.realign(broker, queue, offset);
      if (answer.errorCode !== 0) throw protocolError(answer.errorCode);
      return this.offer(queue, offset, await decodeRecordSet(answer, offset));
    } catch (error) {
      const { partition } = queue;
      logger('warn', 'a partition cannot be read from Kafka; trying again', {
        topic,
        partition,
        error,
      });
      this.rest(queue);
      if (answer.errorCode !== 0) await brokers.renew(error);
      return false;
    }
  }

  private offer(queue: PartitionQueue, offset: number, { messages, next }: RecordSet): boolean {
    if (!this.isCurrent(queue, offset) || next === offset) return false;
    const records = messages.map((message) => logRecord(queue.partition, message));
    queue.offer(records, next);
    return true;
  }

  /** Continues at the beginning of the log, or pauses the queue until the log has reached the offset. */
  private async realign(broker: Broker, queue: PartitionQueue, offset: number): Promise<boolean> {
    const { topic, logger } = this.options;
    const { partition } = queue;
    const begin = await beginningOf(broker, topic, partition);
    if (!this.isCurrent(queue, offset)) return false;
    if (offset < begin) {
      logger(
        'warn',
        'records were removed by the retention of the topic before they were read, and are lost; reading on behind them',
        {
          topic,
          partition,
          from: offset,
          to: begin,
        },
      );
      queue.offer([], begin);
      return true;
    }
    if (offset > (await endOf(broker, topic, partition))) this.rest(queue);
    return false;
  }

  private rest(queue: PartitionQueue): void {
    this.resting.add(queue);
    void pause(REST_MS, this.closing.signal).then(() => {
      this.resting.delete(queue);
      this.kick();
    });
  }

  /** Whether the queue was neither moved nor removed while its records were fetched. */
  private isCurrent(queue: PartitionQueue, offset: number): boolean {
    return this.options.queues.get(queue.partition) === queue && queue.nextFetch === offset;
  }

  private waitOf(nodeId: number): number {
    const { queues, hasRoom } = this.options;
    if ([...queues.values()].some((queue) => !hasRoom(queue))) return SHORT_WAIT_MS;
    return (this.empty.get(nodeId) ?? 0) < QUIET_FETCHES ? FETCH_WAIT_MS : QUIET_WAIT_MS;
  }

  private async recover(nodeId: number, error: unknown): Promise<void> {
    if (this.closing.signal.aborted) return;
    const failures = (this.failures.get(nodeId) ?? 0) + 1;
    this.failures.set(nodeId, failures);
    const { topic, brokers, logger } = this.options;
    logger('warn', 'a topic cannot be read from Kafka; trying again', { topic, error });
    await brokers.renew(error);
    await pause(backoffMs(failures, FIRST_RETRY_MS, LAST_RETRY_MS), this.closing.signal);
  }
}
