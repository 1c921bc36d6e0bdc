import type { Consumer, EachBatchPayload } from 'kafkajs';
import type { BatchHandler, LogRecord } from '../message-log';
import { Flow } from './flow';
import type { KafkaLogger } from './kafka-client';
import { logRecord } from './log-record';
import { PartitionQueue } from './partition-queue';
import { backoffMs, pause } from './pause';
import type { OffsetRange } from './topics';

/** How long fetching waits for a queue that is full before it goes on without that partition. */
const PATIENCE_MS = 50;
const POLL_MS = 5;

const HEARTBEAT_MS = 3_000;
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 5_000;

export interface AssignmentOptions {
  readonly topic: string;
  readonly maxRecords: number;
  readonly onBatch: BatchHandler;
  /** An offset for each of the partitions: asked until it answers. */
  readonly startAt: (partitions: readonly number[]) => Promise<ReadonlyMap<number, number>>;
  readonly ranges: () => Promise<readonly OffsetRange[]>;
  readonly onMoved: (assignment: Assignment, partition: number, position: number) => void;
  /** Awaited at the end, if `startAt` was ever asked. Its rejection is logged. */
  readonly onEnd: (assignment: Assignment) => Promise<void>;
  readonly logger: KafkaLogger;
}

/**
 * The partitions of a consumer from one join of its group to the next.
 *
 * kafkajs waits with its next fetch from a broker until every batch of the last one is handled. So batches are
 * only taken over in its callback and handled beside it: no handler holds another partition, heartbeats go on
 * however long one takes, and none of its errors reaches kafkajs.
 */
export class Assignment {
  private readonly queues = new Map<number, PartitionQueue>();
  private readonly flow = new Flow(this.queues);
  private readonly paused = new Set<number>();
  private readonly ending = new AbortController();
  private readonly begun: Promise<void>;
  private wasAsked = false;
  private ended: Promise<void> | undefined;
  private heartbeat: () => Promise<void> = () => Promise.resolve();

  /**
   * To be made in the listener of GROUP_JOIN, before kafkajs fetches: it pauses the partitions at once, and
   * resumes each when its start is known.
   *
   * @param before the end of the assignment before this one.
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

  /** Takes a batch over. Resolves when the next may be fetched. */
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

  /** kafkajs has read a stretch in which compaction has left nothing for us. */
  skip(partition: number, lastOffset: number): void {
    const queue = this.queues.get(partition);
    if (queue && lastOffset >= queue.nextFetch) queue.offer([], lastOffset + 1);
  }

  /** Resolves once no handler is at work and the end was told; the same promise at every call. */
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
      if (this.wasAsked) await this.options.onEnd(this);
    } catch (error) {
      this.log('error', 'the end of an assignment failed', { error });
    } finally {
      clearInterval(beat);
    }
  }

  private async begin(): Promise<void> {
    const { signal } = this.ending;
    if (this.partitions.length === 0) return;
    for (let attempt = 1; !signal.aborted; attempt += 1) {
      try {
        this.wasAsked = true;
        this.open(await this.options.startAt(this.partitions));
        return;
      } catch (error) {
        this.log('error', 'no positions to start at; asking again', { error });
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
   * The batch was not fetched from where it should: it was under way when the partition was assigned, or the
   * brokers have dropped what comes next. Reads on at the first record that there still is.
   */
  private async realign(queue: PartitionQueue): Promise<void> {
    const ranges = await this.options.ranges().catch(() => []);
    const range = ranges[queue.partition];
    if (range && (queue.nextFetch < range.begin || queue.nextFetch > range.end)) {
      const offset = queue.nextFetch < range.begin ? range.begin : range.end;
      this.log('error', 'records are gone before they were read; reading on behind them', {
        partition: queue.partition,
        from: queue.nextFetch,
        to: offset,
      });
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

  /** kafkajs throws when the consumer is not running any more: then there is nothing to steer. */
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

/** In kafkajs' batch, though not in its types. */
const fetchedFrom = (batch: Batch & { readonly fetchedOffset?: string }): number =>
  Number(batch.fetchedOffset);

const recordsOf = ({ partition, messages }: Batch): LogRecord[] =>
  messages.map((message) => logRecord(partition, message));
