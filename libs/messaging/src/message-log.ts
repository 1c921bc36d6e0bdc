import type { LogSlice } from './log-slice';
import type { PartitionReader, ReadPartitions } from './partition-reader';
import type { UnlessMoved } from './topic-moved';

/** A message to be appended. */
export interface NewMessage {
  /** Decides the partition: messages of one key keep their order. At most {@link MAX_KEY_BYTES}, no NUL. */
  readonly key: string;
  /** `null` is a tombstone: in a compacted topic it removes the key. No NUL; at most {@link MAX_VALUE_BYTES}. */
  readonly value: string | null;
}

/** UTF-8 bytes of one key. */
export const MAX_KEY_BYTES = 1_024;

/** UTF-8 bytes of one value. Source: Kafka's default message.max.bytes (1 MiB), less room for key and frame. */
export const MAX_VALUE_BYTES = 1_000_000;

/** Where a message stands in the log. Offsets begin at 0 and are gapless in topics that are not compacted. */
export interface Position {
  readonly partition: number;
  readonly offset: number;
}

/** A message as it stands in the log. */
export interface LogRecord extends NewMessage, Position {
  /** Milliseconds since 1970 at which the log took it; never falls within a partition. */
  readonly timestampMs: number;
}

/** A topic as it is to be: partitions, and how long records are kept. */
export interface TopicSpec {
  readonly name: string;
  /** Fixed for ever: another count would move keys. */
  readonly partitions: number;
  /**
   * `compact`: at least the last value of each key is kept for ever, what it or a tombstone follows is gone within an
   * hour or so of the next append; a number: milliseconds; `forever`.
   */
  readonly retention: 'compact' | 'forever' | number;
}

/** How long an append may take, and on which condition it happens. */
export interface AppendOptions {
  /**
   * Milliseconds until the append is given up. What had not been sent to the log by then is withdrawn and will
   * never be there; what had been sent may be there or not. Default 30,000.
   */
  readonly timeoutMs?: number;
  /**
   * Appends only if the topic ends at `end` or before. The log looks at the end after `append` was called: whoever was
   * told of a record in that topic before is covered, but for as long as an adapter's options let a look be shared.
   * Messages of a key keep their order among calls with and without a condition. A look that is made apart from the
   * append, and takes longer than 1 s, rejects with {@link LogUnavailable}.
   */
  readonly unlessMoved?: UnlessMoved;
}

/**
 * Records of one partition, in order, at least one and at most `maxRecords`. The position moves behind the batch once the
 * returned promise resolves; a rejection delivers the same records again after a pause (100 ms to 5 s).
 *
 * `leaving` is aborted when the partition is to go, or the reader to stop, which waits for the handler: one that
 * itself waits for something (room, a lease, another reader) should reject then with the signal's reason.
 */
export type BatchHandler = (
  partition: number,
  records: readonly LogRecord[],
  leaving: AbortSignal,
) => Promise<void>;

/** What to read as a member of a group: the partitions that the member is given. */
export interface Subscribe {
  readonly topic: string;
  /** Each partition is delivered to one member of the group at a time. */
  readonly group: string;
  readonly onBatch: BatchHandler;
  /** Records a batch at most, default 500. */
  readonly maxRecords?: number;
  /**
   * Awaited before the first batch of the partitions is delivered. What it returns decides where reading
   * starts, in place of the group's own position; a partition that it leaves out starts at the group's
   * position (first time: at the beginning). A rejection makes it be asked again after a pause.
   *
   * With `onAssigned` the positions belong to the caller: the log does not move the group's by itself, and
   * {@link Subscription.commit} says what lag monitors should see.
   */
  readonly onAssigned?: (partitions: readonly number[]) => Promise<ReadonlyMap<number, number>>;
  /**
   * Awaited before the partitions may go to another member, also on stop; a batch under way has ended before.
   * A rejection counts as an end. A member that the log has taken for dead is told too late to hinder the next.
   */
  readonly onRevoked?: (partitions: readonly number[]) => Promise<void>;
}

/** A membership in a group that was begun by {@link MessageLog.subscribe}. */
export interface Subscription {
  /**
   * Sets the group's position of a partition: the offset of the next record to read.
   *
   * @throws Error when the partition has gone to another member, LogUnavailable when the log is away.
   */
  commit(partition: number, nextOffset: number): Promise<void>;
  /** Stops after the batches in hand, revokes, leaves the group. Twice is as once. */
  stop(): Promise<void>;
  /** Rejects never; resolves with the cause when the subscription has ended by itself, else when stopped. */
  readonly ended: Promise<Error | undefined>;
}

/** What to read without a group: all partitions of a topic, from given offsets or an end of the topic, and on. */
export interface Follow {
  readonly topic: string;
  /** Where to start in each partition; a partition left out starts as `otherwise` says. */
  readonly from?: ReadonlyMap<number, number>;
  /** Default `beginning`. `end`: what is appended once `follow` has resolved is delivered. */
  readonly otherwise?: 'beginning' | 'end';
  /** In order per partition; partitions may be handled at the same time. A rejection delivers it again. */
  readonly onBatch: BatchHandler;
  readonly maxRecords?: number;
}

/** A reading that was begun by {@link MessageLog.follow}. */
export interface Reader {
  /**
   * Resolves once everything has been handled that stood in the topic when this was called.
   *
   * @throws Error "stopped" when the reader ends before.
   */
  caughtUp(): Promise<void>;
  /** Stops after the batches in hand; nothing is delivered afterwards. Twice is as once. */
  stop(): Promise<void>;
  readonly ended: Promise<Error | undefined>;
}

/** The log cannot be reached, or did not answer in time. What was appended may be there or not. */
export class LogUnavailable extends Error {
  override readonly name = 'LogUnavailable';
}

/** More is waiting to be appended than the log's buffer holds (bytes): nothing of this call was taken. */
export class LogOverloaded extends Error {
  override readonly name = 'LogOverloaded';
}

/**
 * A durable, partitioned log. Abstract class: the port and its DI token in one.
 *
 * Delivery is at least once, in order per partition. An adapter keeps no more than the batches in hand in
 * memory, however slow a handler is.
 */
export abstract class MessageLog {
  /**
   * Makes the topics that are missing. Safe to call from several processes at once.
   *
   * @throws Error naming the topic when one exists with another number of partitions, LogUnavailable.
   */
  abstract ensureTopics(topics: readonly TopicSpec[]): Promise<void>;

  /** @throws Error naming the topic when it does not exist. */
  abstract partitionsOf(topic: string): Promise<number>;

  /**
   * Resolves once every message is durable on all in-sync replicas; positions in the order of the messages.
   * Messages of one key that were given in this order stand in this order, also over several calls that were
   * made one after the other without waiting.
   *
   * @throws LogUnavailable some may be in the log: append them again (readers drop what they have seen).
   * @throws LogOverloaded  none is in the log.
   * @throws TopicMoved     the topic of `unlessMoved` has moved on: none is in the log.
   * @throws RangeError     a key or value is beyond its limits: none is in the log.
   * @throws Error          naming the topic when it does not exist, or that of `unlessMoved` when it does not
   *                        exist or has several partitions.
   */
  abstract append(
    topic: string,
    messages: readonly NewMessage[],
    options?: AppendOptions,
  ): Promise<readonly Position[]>;

  /** Joins a group of readers that share the partitions. */
  abstract subscribe(options: Subscribe): Promise<Subscription>;

  /** Reads all partitions without a group, to the present end and on. */
  abstract follow(options: Follow): Promise<Reader>;

  /**
   * Opens a reader of single partitions without a group: nothing is read until a partition is started.
   *
   * @throws Error naming the topic when it does not exist, LogUnavailable.
   */
  abstract readPartitions(options: ReadPartitions): Promise<PartitionReader>;

  /**
   * Reads a stretch of one partition, beside every reader and without a state of its own. Several at once are fine.
   *
   * @param offset   where to begin; below the log's beginning: at the beginning.
   * @param maxBytes of values, about: no more is read than fits, but always the first record.
   *
   * @throws LogUnavailable when the log does not answer within 5 s.
   * @throws RangeError     when the topic has no such partition, or the offset is not a whole number of 0 or more.
   * @throws Error          naming the topic when it does not exist.
   */
  abstract read(
    topic: string,
    partition: number,
    offset: number,
    maxBytes: number,
  ): Promise<LogSlice>;

  /** The offset that the next record of each partition will get, by partition. */
  abstract endOffsets(topic: string): Promise<readonly number[]>;

  /** The offset of the first record still kept of each partition, by partition. */
  abstract beginningOffsets(topic: string): Promise<readonly number[]>;

  /** The first offset of each partition whose record is at or after the moment; the end where there is none. */
  abstract offsetsAt(topic: string, timestampMs: number): Promise<readonly number[]>;

  /**
   * Names the log itself, the same for ever and for everyone: another name says that offsets of this one mean
   * nothing there. (Kafka: the cluster's id; PostgreSQL: an id that is made once.)
   *
   * @throws LogUnavailable
   */
  abstract identity(): Promise<string>;

  /** Rejects with {@link LogUnavailable} when the log does not answer within 2 s. For readiness. */
  abstract ping(): Promise<void>;

  /**
   * Sends what is waiting, stops every subscription and reader, closes connections. Twice is as once; every
   * other call then rejects with {@link LogUnavailable}.
   */
  abstract close(): Promise<void>;
}
