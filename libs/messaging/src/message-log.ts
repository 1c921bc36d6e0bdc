import type { LogSlice } from './log-slice';
import type { PartitionReader, ReadPartitions } from './partition-reader';
import type { UnlessMoved } from './topic-moved';
import type { TopicOwner } from './topic-owner';

/** A message to be appended. */
export interface NewMessage {
  /** Determines the partition: messages of one key keep their order. At most {@link MAX_KEY_BYTES}, no NUL. */
  readonly key: string;
  /** `null` is a tombstone: in a compacted topic it removes the key. No NUL; at most {@link MAX_VALUE_BYTES}. */
  readonly value: string | null;
}

/** UTF-8 bytes of one key. */
export const MAX_KEY_BYTES = 1_024;

/** UTF-8 bytes of one value. Source: Kafka's default message.max.bytes (1 MiB), less room for key and frame. */
export const MAX_VALUE_BYTES = 1_000_000;

/** Position of a message in the log. Offsets begin at 0 and have no gaps in topics that are not compacted. */
export interface Position {
  readonly partition: number;
  readonly offset: number;
}

/** A stored message. */
export interface LogRecord extends NewMessage, Position {
  /** Time of the append in milliseconds since 1970; never decreases within a partition. */
  readonly timestampMs: number;
}

/** A topic with its partitions and retention. */
export interface TopicSpec {
  readonly name: string;
  /** Must never change: another count would move keys to other partitions. */
  readonly partitions: number;
  /**
   * `compact`: at least the last value of each key is kept for ever, superseded records are deleted within about an
   * hour of the next append; a number: milliseconds; `forever`.
   */
  readonly retention: 'compact' | 'forever' | number;
}

/** Time-out and condition of an append. */
export interface AppendOptions {
  /**
   * Milliseconds until the append is given up. Messages not yet sent to the log by then are withdrawn and will never be
   * stored; those already sent may be stored or not. Default 30,000.
   */
  readonly timeoutMs?: number;
  /**
   * Appends only if the topic ends at `end` or before. The log checks the end after `append` was called, so every
   * record in that topic that was acknowledged before the call is taken into account, except for as long as an
   * adapter's options let a check be reused. Messages of a key keep their order among calls with and without a
   * condition. A check that is made separately from the append and takes longer than 1 s rejects with
   * {@link LogUnavailable}.
   */
  readonly unlessMoved?: UnlessMoved;
}

/**
 * Handles records of one partition, in order, at least one and at most `maxRecords`. The position advances past the
 * batch once the returned promise resolves; after a rejection the same records are delivered again, following a pause
 * (100 ms to 5 s).
 *
 * `leaving` is aborted when the partition is being given up or the reader stopped, both of which wait for the handler:
 * a handler that itself waits for something (room, a lease, another reader) should then reject with the signal's
 * reason.
 */
export type BatchHandler = (
  partition: number,
  records: readonly LogRecord[],
  leaving: AbortSignal,
) => Promise<void>;

/** Options of a member of a group, which reads the partitions assigned to it. */
export interface Subscribe {
  readonly topic: string;
  /** Each partition is delivered to one member of the group at a time. */
  readonly group: string;
  readonly onBatch: BatchHandler;
  /** Maximal records of a batch. Default 500. */
  readonly maxRecords?: number;
  /**
   * Awaited before the first batch of the partitions is delivered. The result determines where reading starts, instead
   * of the group's own position; a partition that it leaves out starts at the group's position (at first: at the
   * beginning). After a rejection it is called again, following a pause.
   *
   * With `onAssigned` the positions belong to the caller: the log does not commit the group's by itself, and
   * {@link Subscription.commit} sets what lag monitors see.
   */
  readonly onAssigned?: (partitions: readonly number[]) => Promise<ReadonlyMap<number, number>>;
  /**
   * Awaited before the partitions may go to another member, also on stop; batches in progress have ended before. A
   * rejection counts as an end. For a member that the log considers dead it is called too late to delay the next one.
   */
  readonly onRevoked?: (partitions: readonly number[]) => Promise<void>;
}

/** A membership in a group, created by {@link MessageLog.subscribe}. */
export interface Subscription {
  /**
   * Sets the group's position of a partition: the offset of the next record to read.
   *
   * @throws Error when the partition has gone to another member, LogUnavailable during an outage.
   */
  commit(partition: number, nextOffset: number): Promise<void>;
  /** Stops after the batches in progress, revokes the partitions, leaves the group. Idempotent. */
  stop(): Promise<void>;
  /** Never rejects; resolves with the cause when the subscription has ended by itself, else when stopped. */
  readonly ended: Promise<Error | undefined>;
}

/** Options of reading all partitions of a topic without a group, from given offsets or an end of the topic. */
export interface Follow {
  readonly topic: string;
  /** Start offsets by partition; partitions left out start according to `otherwise`. */
  readonly from?: ReadonlyMap<number, number>;
  /** Default `beginning`. `end`: everything appended once `follow` has resolved is delivered. */
  readonly otherwise?: 'beginning' | 'end';
  /**
   * Batches are in order per partition; partitions may be handled concurrently. A rejected batch is delivered again.
   */
  readonly onBatch: BatchHandler;
  readonly maxRecords?: number;
}

/** A reader created by {@link MessageLog.follow}. */
export interface Reader {
  /**
   * Resolves once everything has been handled that was in the topic at this call.
   *
   * @throws Error "stopped" when the reader ends before.
   */
  caughtUp(): Promise<void>;
  /** Stops after the batches in progress; nothing is delivered afterwards. Idempotent. */
  stop(): Promise<void>;
  readonly ended: Promise<Error | undefined>;
}

/** The log cannot be reached, or did not answer in time. Messages of a failed append may be stored or not. */
export class LogUnavailable extends Error {
  override readonly name = 'LogUnavailable';
}

/** The messages waiting to be appended exceed the log's buffer (in bytes): nothing of this call was accepted. */
export class LogOverloaded extends Error {
  override readonly name = 'LogOverloaded';
}

/**
 * A durable, partitioned log. Abstract class: the port and its DI token in one.
 *
 * Delivery is at least once, in order per partition. An adapter keeps little more than the batches in progress in
 * memory, however slow a handler is.
 */
export abstract class MessageLog {
  /**
   * Makes the missing topics. May be called by several processes at once.
   *
   * @param owner whose topics they are to be; of several installations that call at once, one gets them. Without an
   *   owner nothing is checked. A log in the database of an installation belongs to it: the owner is not checked there.
   * @throws ForeignTopics, UnclaimedTopics before anything is made.
   * @throws Error naming the topic when one exists with another number of partitions, LogUnavailable.
   */
  abstract ensureTopics(topics: readonly TopicSpec[], owner?: TopicOwner): Promise<void>;

  /** Returns the number of partitions. @throws Error naming the topic when it does not exist. */
  abstract partitionsOf(topic: string): Promise<number>;

  /**
   * Resolves with the positions, in the order of the messages, once every message is durable on all in-sync replicas.
   * Messages of one key keep their order, also over several calls made one after the other without waiting.
   *
   * @throws LogUnavailable some may be in the log: append them again (readers drop duplicates).
   * @throws LogOverloaded none is in the log.
   * @throws TopicMoved the topic of `unlessMoved` has moved on: none is in the log.
   * @throws RangeError a key or value is beyond its limits: none is in the log.
   * @throws Error naming the topic when it does not exist, or that of `unlessMoved` when it does not exist or has
   *   several partitions.
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
   * Opens a reader of single partitions without a group: a partition is read once it is started.
   *
   * @throws Error naming the topic when it does not exist, LogUnavailable.
   */
  abstract readPartitions(options: ReadPartitions): Promise<PartitionReader>;

  /**
   * Reads a slice of one partition, independent of all readers. Concurrent calls are allowed.
   *
   * @param offset start; below the log's beginning, reading starts there.
   * @param maxBytes limit for the values, approximately; the first record is always read.
   * @throws LogUnavailable when the log does not answer within 5 s.
   * @throws RangeError when the topic has no such partition, or the offset is not an integer of 0 or more.
   * @throws Error naming the topic when it does not exist.
   */
  abstract read(
    topic: string,
    partition: number,
    offset: number,
    maxBytes: number,
  ): Promise<LogSlice>;

  /** Returns the offset that the next record of each partition will get, by partition. */
  abstract endOffsets(topic: string): Promise<readonly number[]>;

  /** Returns the offset of the first record still kept of each partition, by partition. */
  abstract beginningOffsets(topic: string): Promise<readonly number[]>;

  /**
   * Returns the offset of the first kept record of each partition that was appended at or after the time; the end of the
   * partition when there is none. Takes a bounded number of look-ups, however many records are kept.
   *
   * @param timestampMs milliseconds since 1970, by the clock of {@link LogRecord.timestampMs}.
   */
  abstract offsetsAt(topic: string, timestampMs: number): Promise<readonly number[]>;

  /**
   * Identifies the log; constant, and the same for all clients. With another identity, offsets of this log are
   * meaningless. (Kafka: the cluster's id, with the prefix of the topics if they have one; PostgreSQL: an id that is
   * generated once.)
   *
   * @throws LogUnavailable
   */
  abstract identity(): Promise<string>;

  /** Rejects with {@link LogUnavailable} when the log does not answer within 2 s. For readiness checks. */
  abstract ping(): Promise<void>;

  /**
   * Sends waiting messages, stops every subscription and reader, closes connections. Idempotent; every other call then
   * rejects with {@link LogUnavailable}.
   */
  abstract close(): Promise<void>;
}
