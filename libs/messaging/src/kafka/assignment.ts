import type { Consumer, EachBatchPayload } from 'kafkajs';
import type { BatchHandler, LogRecord } from '../message-log';
import { Flow } from './flow';
import type { KafkaLogger } from './kafka-logger';
import { logRecord } from './log-record';
import { PartitionQueue } from './partition-queue';
import { backoffMs, pause } from './pause';
import type { OffsetRange } from './topics';

/** Time that fetching waits for a full queue before it continues without that partition. */
const PATIENCE_MS = 50;
const POLL_MS = 5;

const HEARTBEAT_MS = 3_000;
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 5_000;

export interface AssignmentOptions {
  readonly topic: string;
  readonly maxRecords: number;
  readonly onBatch: BatchHandler;
  /** Returns an offset for each of the partitions; retried until it succeeds. */
  readonly startAt: (partitions: readonly number[]) => Promise<ReadonlyMap<number, number>>;
  readonly ranges: () => Promise<readonly OffsetRange[]>;
  readonly onMoved: (assignment: Assignment, partition: number, position: number) => void;
  /** Awaited at the end if `startAt` was ever called. Its rejection is logged. */
  readonly onEnd: (assignment: Assignment) => Promise<void>;
  readonly logger: KafkaLogger;
}

/**
 * The partitions of a consumer from one join of its group to the next.
 *
 * kafkajs does not fetch again from a broker until every batch of the previous fetch is handled. Therefore its callback
 * only queues batches, and they are handled elsewhere: a slow handler delays no other partition, heartbeats continue,
 * and its errors do not reach kafkajs.
 */
export class Assignment {
  private readonly queues = new Map<number, PartitionQueue>();
  private readonly flow = new Flow(this.queues);
  private readonly paused = new Set<number>();
  private readonly ending = new AbortController();
  private readonly begun: Promise<void>;
  private wasStartRequested = false;
  private ended: Promise<void> | undefined;
  private heartbeat: () => Promise<void> = () => Promise.resolve();

  /**
   * To be created in the listener of GROUP_JOIN, before kafkajs fetches: it pauses all partitions, and resumes each
   * when its start is known.
   *
   * @param before the end of the previous assignment.
   */
  constructor(
    readonly consumer: Consumer,
    readonly partitions: readonly number[],
    before: Promise<void>,
    private readonly options: AssignmentOptions,
  ) {
    if (partitions.length > 0) this.pause(partitions);
    this.begun = before.then(() => this.begin());
  }

  /** Queues a batch. Resolves when the next may be fetched. */
  async take({ batch, resolveOffset, heartbeat }: EachBatchPayload): Promise<void> {
    const queue = this.queues.get(batch.partition);
    if (!queue || this.ending.signal.aborted) return;
    this.heartbeat = heartbeat;
    if (fetchedFrom(batch) !== queue.nextFetch) {
      await this.realign(queue);
      return;
    }
    queue.offer(recordsOf(batch), Number(batch.lastOffset()) + 1);
    resolveOffset(batch.lastOffset());
    for (let waitedMs = 0; waitedMs < PATIENCE_MS; waitedMs += POLL_MS) {
      if (this.flow.hasRoom(queue)) return;
      await pause(POLL_MS, this.ending.signal);
    }
    if (!this.flow.hasRoom(queue)) this.hold(queue);
  }

  /** Moves past offsets that kafkajs has read without any record, because compaction has removed them. */
  skip(partition: number, lastOffset: number): void {
    const queue = this.queues.get(partition);
    if (queue && lastOffset >= queue.nextFetch) queue.offer([], lastOffset + 1);
  }

  /** Resolves once no handler is running and `onEnd` has been called; returns the same promise for every call. */
  end(): Promise<void> {
    return (this.ended ??= this.finish());
  }

  private async finish(): Promise<void> {
    this.ending.abort();
    if (this.partitions.length > 0) this.pause(this.partitions);
    const beat = setInterval(() => void this.heartbeat().catch(() => undefined), HEARTBEAT_MS);
    try {
      await this.begun;
      await Promise.all([...this.queues.values()].map((queue) => queue.stop()));
      if (this.wasStartRequested) await this.options.onEnd(this);
    } catch (error) {
      this.log(
        'error',
        'partitions could not be given up in good order; their next reader reads some records again',
        { error },
      );
    } finally {
      clearInterval(beat);
    }
  }

  private async begin(): Promise<void> {
    const { signal } = this.ending;
    if (this.partitions.length === 0) return;
    for (let attempt = 1; !signal.aborted; attempt += 1) {
      try {
        this.wasStartRequested = true;
        this.open(await this.options.startAt(this.partitions));
        return;
      } catch (error) {
        this.log(
          'warn',
          'the positions at which to begin reading cannot be looked up; trying again',
          { error },
        );
        await pause(backoffMs(attempt, FIRST_RETRY_MS, LAST_RETRY_MS), signal);
      }
    }
  }

  private open(starts: ReadonlyMap<number, number>): void {
    if (this.ending.signal.aborted) return;
    const { maxRecords, onBatch, onMoved } = this.options;
    for (const partition of this.partitions) {
      const queue = new PartitionQueue({
        partition,
        start: starts.get(partition) ?? 0,
        maxRecords,
        onBatch,
        onMoved: ({ position }) => {
          onMoved(this, partition, position);
          this.resumeWhereRoom();
        },
        onFault: (what, error) => {
          this.log('error', what, { partition, error });
        },
      });
      this.queues.set(partition, queue);
      this.seek(queue);
    }
    this.resume(this.partitions);
  }

  /**
   * Handles a batch from another offset than expected: it was being fetched when the partition was assigned, or the
   * brokers have dropped the next records. Continues at the first record that still exists.
   */
  private async realign(queue: PartitionQueue): Promise<void> {
    const ranges = await this.options.ranges().catch(() => []);
    const range = ranges[queue.partition];
    if (range && (queue.nextFetch < range.begin || queue.nextFetch > range.end)) {
      const offset = queue.nextFetch < range.begin ? range.begin : range.end;
      this.log(
        'error',
        'records were removed by the retention of the topic before they were read, and are lost; reading on behind them',
        {
          partition: queue.partition,
          from: queue.nextFetch,
          to: offset,
        },
      );
      queue.offer([], offset);
    }
    this.seek(queue);
  }

  private seek({ partition, nextFetch }: PartitionQueue): void {
    this.consumer.seek({ topic: this.options.topic, partition, offset: String(nextFetch) });
  }

  private hold({ partition }: PartitionQueue): void {
    this.paused.add(partition);
    this.pause([partition]);
  }

  private resumeWhereRoom(): void {
    for (const partition of this.paused) {
      const queue = this.queues.get(partition);
      if (!queue || !this.flow.hasRoomAgain(queue)) continue;
      this.paused.delete(partition);
      this.resume([partition]);
    }
  }

  private pause(partitions: readonly number[]): void {
    this.steer('pause', partitions);
  }

  private resume(partitions: readonly number[]): void {
    if (!this.ending.signal.aborted) this.steer('resume', partitions);
  }

  /** kafkajs throws when the consumer has stopped: then there is nothing to pause or resume. */
  private steer(action: 'pause' | 'resume', partitions: readonly number[]): void {
    try {
      this.consumer[action]([{ topic: this.options.topic, partitions: [...partitions] }]);
    } catch {
      this.ending.abort();
    }
  }

  private log(level: 'error' | 'warn', message: string, fields: Record<string, unknown>): void {
    this.options.logger(level, message, { topic: this.options.topic, ...fields });
  }
}

type Batch = EachBatchPayload['batch'];

/** Reads a member of kafkajs' batch that its types do not declare. */
const fetchedFrom = (batch: Batch & { readonly fetchedOffset?: string }): number =>
  Number(batch.fetchedOffset);

const recordsOf = ({ partition, messages }: Batch): LogRecord[] =>
  messages.map((message) => logRecord(partition, message));
