import { once } from 'node:events';
import type { Consumer, EachBatchPayload, Kafka, PartitionAssigner } from 'kafkajs';
import { Assignment, type AssignmentOptions } from './assignment';
import { RETRY } from './kafka-client';
import { backoffMs, pause } from './pause';

/** A member that is silent for as long is taken for dead, and its partitions go to others. */
const SESSION_TIMEOUT_MS = 15_000;
/** How long a group waits at a rebalance for the batches that a member has in hand. */
const REBALANCE_TIMEOUT_MS = 120_000;

/** New records end a fetch at once; a partition that is resumed, or a stop, waits as long at most. */
const FETCH_WAIT_MS = 150;
/** Of one partition in one fetch, unless a single batch of the writer is larger. */
const FETCH_PARTITION_BYTES = 262_144;
const FETCH_BYTES = 4_194_304;

/**
 * Outlasts an outage in place for about as long as a session lasts: a member that starts over is a new one, for
 * which its group waits until the old one's session is over.
 */
const RETRIES = 15;
/** A stop during an outage does not wait for more. */
const LEAVE_TIMEOUT_MS = 5_000;

const FIRST_RESTART_MS = 100;
const LAST_RESTART_MS = 5_000;
/** A consumer that ran for as long was well: the next restart is a first one again. */
const WELL_MS = 30_000;

export interface TopicConsumerOptions extends AssignmentOptions {
  /** The name of the group; for a reader without a group, of the reader. */
  readonly group: string;
  /** Of the topic. */
  readonly partitionCount: number;
  /** A client of its own for each consumer. */
  readonly kafka: (retries: number) => Kafka;
  readonly assigner: (release: () => Promise<void>) => PartitionAssigner;
}

/** Consumes a topic until it is stopped: a consumer of kafkajs that has crashed is replaced by a new one. */
export class TopicConsumer {
  /** The partitions held at present. */
  assignment: Assignment | undefined;
  /** Resolves when everything has stopped. */
  readonly stopped: Promise<void>;
  private readonly stopping = new AbortController();
  private readonly stopAsked = once(this.stopping.signal, 'abort');

  constructor(private readonly options: TopicConsumerOptions) {
    this.stopped = this.runOnAndOn();
  }

  /** Resolves once no handler is at work, the end of the assignment was told, and the group was left. */
  stop(): Promise<void> {
    this.stopping.abort();
    return this.stopped;
  }

  private async runOnAndOn(): Promise<void> {
    const { signal } = this.stopping;
    for (let attempt = 1; !signal.aborted; attempt += 1) {
      const startedMs = performance.now();
      await this.runOnce();
      if (performance.now() - startedMs > WELL_MS) attempt = 1;
      await pause(backoffMs(attempt, FIRST_RESTART_MS, LAST_RESTART_MS), signal);
    }
  }

  private async runOnce(): Promise<void> {
    const consumer = this.newConsumer();
    const over = this.untilOver(consumer);
    const start = this.start(consumer);
    await Promise.race([start.then(() => over), over]).catch((error: unknown) => {
      this.options.logger('warn', 'a consumer could not be started', {
        topic: this.options.topic,
        error,
      });
    });
    await this.release();
    const left = start.catch(() => undefined).then(() => consumer.disconnect());
    const hasLeft = new AbortController();
    void left.catch(() => undefined).then(() => hasLeft.abort());
    await pause(LEAVE_TIMEOUT_MS, hasLeft.signal);
  }

  private async start(consumer: Consumer): Promise<void> {
    const { topic, partitionCount } = this.options;
    await consumer.connect();
    await consumer.subscribe({ topic, fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      partitionsConsumedConcurrently: partitionCount,
      eachBatch: (payload) => this.take(consumer, payload),
    });
  }

  private newConsumer(): Consumer {
    const { kafka, group, assigner } = this.options;
    return kafka(RETRIES).consumer({
      groupId: group,
      partitionAssigners: [assigner(() => this.release())],
      sessionTimeout: SESSION_TIMEOUT_MS,
      rebalanceTimeout: REBALANCE_TIMEOUT_MS,
      maxWaitTimeInMs: FETCH_WAIT_MS,
      maxBytesPerPartition: FETCH_PARTITION_BYTES,
      maxBytes: FETCH_BYTES,
      allowAutoTopicCreation: false,
      retry: { ...RETRY, retries: RETRIES, restartOnFailure: () => Promise.resolve(false) },
    });
  }

  /** Resolves when the consumer has crashed or is to stop. kafkajs' own restart is off. */
  private untilOver(consumer: Consumer): Promise<void> {
    const { topic, logger } = this.options;
    consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
      this.assigned(consumer, payload.memberAssignment[topic] ?? []);
    });
    consumer.on(consumer.events.START_BATCH_PROCESS, ({ payload }) => {
      if (payload.batchSize === 0)
        this.assignment?.skip(payload.partition, Number(payload.lastOffset));
    });
    const crashed = new Promise<void>((resolve) => {
      consumer.on(consumer.events.CRASH, ({ payload }) => {
        logger('warn', 'a consumer has crashed; starting another', { topic, error: payload.error });
        resolve();
      });
    });
    return Promise.race([crashed, this.stopAsked.then(() => undefined)]);
  }

  private assigned(consumer: Consumer, partitions: readonly number[]): void {
    const before = this.release();
    this.assignment = new Assignment(consumer, partitions, before, this.options);
  }

  private async take(consumer: Consumer, payload: EachBatchPayload): Promise<void> {
    if (this.assignment?.consumer === consumer) await this.assignment.take(payload);
  }

  private async release(): Promise<void> {
    await this.assignment?.end();
  }
}
