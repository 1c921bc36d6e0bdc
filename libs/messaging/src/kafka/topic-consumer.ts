import { once } from 'node:events';
import type { Consumer, EachBatchPayload, Kafka, PartitionAssigner } from 'kafkajs';
import { Assignment, type AssignmentOptions } from './assignment';
import { RETRY } from './kafka-client';
import { backoffMs, pause } from './pause';

/** A member without heartbeats for this time is considered dead, and its partitions are reassigned. */
const SESSION_TIMEOUT_MS = 15_000;
/** Time that a group waits at a rebalance for a member's batches in progress. */
const REBALANCE_TIMEOUT_MS = 120_000;

/** Limit for a fetch without new records, and so for the delay of a resumed partition or a stop. */
const FETCH_WAIT_MS = 400;
/** Bytes of one partition in one fetch, unless a single batch is larger. */
const FETCH_PARTITION_BYTES = 262_144;
const FETCH_BYTES = 4_194_304;

/**
 * Retries within one consumer for about as long as a session lasts: a restarted consumer is a new member, for which the
 * group waits until the old member's session has ended.
 */
const RETRIES = 15;
/** Time limit for leaving the group on a stop during an outage. */
const LEAVE_TIMEOUT_MS = 5_000;

const FIRST_RESTART_MS = 100;
const LAST_RESTART_MS = 5_000;
/** A consumer that has run this long was healthy: the back-off of restarts starts over. */
const WELL_MS = 30_000;

export interface TopicConsumerOptions extends AssignmentOptions {
  /** Name of the group; without a group, a name for the reader. */
  readonly group: string;
  /** Number of partitions of the topic. */
  readonly partitionCount: number;
  /** Milliseconds without heartbeats after which the group goes on without this member. Default 15,000. */
  readonly sessionTimeoutMs?: number;
  /** Creates a client; each consumer needs its own. */
  readonly kafka: (retries: number) => Kafka;
  readonly assigner: (release: () => Promise<void>) => PartitionAssigner;
}

/** Consumes a topic until it is stopped: a crashed consumer of kafkajs is replaced by a new one. */
export class TopicConsumer {
  /** The present assignment. */
  assignment: Assignment | undefined;
  /** Resolves when everything has stopped. */
  readonly stopped: Promise<void>;
  private readonly stopping = new AbortController();
  private readonly stopRequested = once(this.stopping.signal, 'abort');

  constructor(private readonly options: TopicConsumerOptions) {
    this.stopped = this.runUntilStopped();
  }

  /** Resolves once no handler is running, `onEnd` has been called, and the group was left. */
  stop(): Promise<void> {
    this.stopping.abort();
    return this.stopped;
  }

  private async runUntilStopped(): Promise<void> {
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
      this.options.logger(
        'warn',
        'a topic cannot be read from Kafka, as its consumer does not start; trying again',
        {
          topic: this.options.topic,
          error,
        },
      );
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
    const { kafka, group, assigner, sessionTimeoutMs = SESSION_TIMEOUT_MS } = this.options;
    return kafka(RETRIES).consumer({
      groupId: group,
      partitionAssigners: [assigner(() => this.release())],
      sessionTimeout: sessionTimeoutMs,
      rebalanceTimeout: REBALANCE_TIMEOUT_MS,
      maxWaitTimeInMs: FETCH_WAIT_MS,
      maxBytesPerPartition: FETCH_PARTITION_BYTES,
      maxBytes: FETCH_BYTES,
      allowAutoTopicCreation: false,
      retry: { ...RETRY, retries: RETRIES, restartOnFailure: () => Promise.resolve(false) },
    });
  }

  /** Resolves when the consumer has crashed or a stop is requested. kafkajs' own restart is disabled. */
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
        logger('warn', 'a consumer has crashed; starting another', {
          topic,
          error: payload.error,
        });
        resolve();
      });
    });
    return Promise.race([crashed, this.stopRequested.then(() => undefined)]);
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
