import type { PoolConfig } from 'pg';
import { checkLimits } from '../append-limits';
import type { LogSlice } from '../log-slice';
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
import type { PartitionReader, ReadPartitions } from '../partition-reader';
import { checkOffset, checkPartition } from '../read-limits';
import { Appender } from './appender';
import { Database } from './database';
import { Follower } from './follower';
import { GroupMember } from './group-member';
import { identityOf } from './identity';
import { Listener } from './listener';
import { LogEnds } from './log-ends';
import { maintain, type MaintenanceOptions } from './maintenance';
import { beginningOffsets, offsetsAt } from './offsets';
import { PartitionFeed } from './partition-feed';
import { readSlice } from './slice';
import { Topics } from './topics';
import { within } from '../within';

const APPEND_TIMEOUT_MS = 30_000;
const PING_TIMEOUT_MS = 2_000;
/** Interval for queries of the ends, in case notifications were lost. */
const LOOK_EVERY_MS = 2_000;
const MAINTAIN_EVERY_MS = 60_000;
const MAX_BUFFERED_BYTES = 64 * 1024 * 1024;
const DAY_MS = 86_400_000;

/** Database of the log, and limits for appends. */
export interface PostgresMessageLogOptions {
  /** Connection settings of the driver; the log opens up to nine connections. */
  readonly connection: PoolConfig;
  /** Bytes of messages that may wait or be in progress; beyond this, appends are refused. Default 64 MiB. */
  readonly maxBufferedBytes?: number;
  /** Minimal time for which a compacted topic keeps tombstones. Default a day. */
  readonly tombstonesKeptMs?: number;
  /** Called with failures that will be retried. Default: a process warning. */
  readonly onFault?: (what: string, error: unknown) => void;
}

const warn = (what: string, error: unknown): void => {
  process.emitWarning(`message log: ${what}`, { detail: String(error) });
};

/** Something that is stopped with the log. */
interface Ending {
  readonly ended: Promise<unknown>;
  stop(): Promise<void>;
}

/** The log in a PostgreSQL database, in the schema `penstock_log`: the embedded default. */
export class PostgresMessageLog extends MessageLog {
  private readonly database: Database;
  private readonly topics: Topics;
  private readonly ends: LogEnds;
  private readonly appender: Appender;
  private readonly listener: Listener;
  private readonly readers = new Set<Ending>();
  private readonly timers: readonly NodeJS.Timeout[];
  private readonly onFault: (what: string, error: unknown) => void;
  private isClosed = false;
  private closing: Promise<void> | undefined;

  constructor(private readonly options: PostgresMessageLogOptions) {
    super();
    this.onFault = options.onFault ?? warn;
    this.database = new Database(options.connection);
    this.topics = new Topics(this.database);
    this.ends = new LogEnds(this.database);
    this.appender = new Appender(this.database, {
      maxBufferedBytes: options.maxBufferedBytes ?? MAX_BUFFERED_BYTES,
      onFlushed: (ends) => {
        this.ends.advance(ends);
      },
      makeRoom: () => this.maintain(),
      topics: this.topics,
    });
    this.listener = new Listener({
      config: options.connection,
      channels: { penstock_log: this.onEnds, penstock_log_groups: this.onGroup },
      onConnected: this.look,
    });
    this.timers = [
      setInterval(this.look, LOOK_EVERY_MS),
      setInterval(this.maintainQuietly, MAINTAIN_EVERY_MS),
    ];
  }

  override async ensureTopics(topics: readonly TopicSpec[]): Promise<void> {
    this.checkOpen();
    await this.topics.ensure(topics);
  }

  override async partitionsOf(topic: string): Promise<number> {
    this.checkOpen();
    return (await this.topics.named(topic)).partitionIds.length;
  }

  override async append(
    topic: string,
    messages: readonly NewMessage[],
    { timeoutMs = APPEND_TIMEOUT_MS, unlessMoved }: AppendOptions = {},
  ): Promise<readonly Position[]> {
    if (this.isClosed) throw new LogUnavailable('the log is closed');
    for (const message of messages) checkLimits(message);
    if (unlessMoved) checkOffset(unlessMoved.end);
    const untilMs = performance.now() + timeoutMs;
    const found = this.topics.ready(topic) ?? (await this.topics.await(topic, timeoutMs));
    if (messages.length === 0) return [];
    return this.appender.append(found, { messages, untilMs, unlessMoved });
  }

  override async subscribe(options: Subscribe): Promise<Subscription> {
    this.checkOpen();
    const topic = await this.topics.named(options.topic);
    const { onFault } = this;
    const member = new GroupMember(this.database, this.ends, topic, { ...options, onFault });
    return this.begin(member, member.join());
  }

  override async follow(options: Follow): Promise<Reader> {
    this.checkOpen();
    const topic = await this.topics.named(options.topic);
    const { onFault } = this;
    const follower = new Follower(this.database, this.ends, topic, { ...options, onFault });
    return this.begin(follower, follower.start());
  }

  override async readPartitions(options: ReadPartitions): Promise<PartitionReader> {
    this.checkOpen();
    const topic = await this.topics.named(options.topic);
    const { onFault } = this;
    const feed = new PartitionFeed(this.database, this.ends, topic, { ...options, onFault });
    await this.begin({ ended: feed.ended, stop: () => feed.close() }, feed.open());
    return feed;
  }

  override async read(
    topic: string,
    partition: number,
    offset: number,
    maxBytes: number,
  ): Promise<LogSlice> {
    this.checkOpen();
    checkOffset(offset);
    const found = await this.topics.named(topic);
    checkPartition(topic, found.partitionIds.length, partition);
    return readSlice(this.database, found, partition, offset, maxBytes);
  }

  override async endOffsets(topic: string): Promise<readonly number[]> {
    this.checkOpen();
    return this.ends.look((await this.topics.named(topic)).partitionIds);
  }

  override async beginningOffsets(topic: string): Promise<readonly number[]> {
    this.checkOpen();
    return beginningOffsets(this.database, await this.topics.named(topic));
  }

  override async offsetsAt(topic: string, timestampMs: number): Promise<readonly number[]> {
    const ends = await this.endOffsets(topic);
    return offsetsAt(this.database, await this.topics.named(topic), ends, timestampMs);
  }

  override async identity(): Promise<string> {
    this.checkOpen();
    return identityOf(this.database);
  }

  override async ping(): Promise<void> {
    this.checkOpen();
    await within(PING_TIMEOUT_MS, 'PostgreSQL', this.database.rows({ text: 'select 1' }));
  }

  /** Runs the maintenance (retention and compaction), which otherwise runs every minute. */
  async maintain(options: Partial<MaintenanceOptions> = {}): Promise<void> {
    await maintain(this.database, {
      tombstonesKeptMs: this.options.tombstonesKeptMs ?? DAY_MS,
      ...options,
    });
  }

  override close(): Promise<void> {
    this.closing ??= this.shutDown();
    return this.closing;
  }

  /**
   * Stops readers before appends are refused: handlers in progress may still append, and their messages are written.
   */
  private async shutDown(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    await Promise.all([...this.readers].map((reader) => reader.stop()));
    this.isClosed = true;
    await this.appender.drain();
    await this.listener.close();
    await this.database.close();
  }

  private async begin<R extends Ending>(reader: R, started: Promise<void>): Promise<R> {
    this.readers.add(reader);
    void reader.ended.then(() => this.readers.delete(reader));
    await started.catch(async (error: unknown) => {
      await reader.stop();
      throw error;
    });
    return reader;
  }

  private checkOpen(): void {
    if (this.closing) throw new LogUnavailable('the log is closed');
  }

  private readonly onEnds = (payload: string): void => {
    this.ends.advance(
      payload.split(',').map((pair) => {
        const [id, end] = pair.split(':').map(Number);
        return [id ?? 0, end ?? 0] as const;
      }),
    );
  };

  private readonly onGroup = (group: string): void => {
    for (const reader of this.readers)
      if (reader instanceof GroupMember) reader.onGroupChange(group);
  };

  private readonly look = (): void => {
    this.ends.refresh().catch((error: unknown) => {
      this.onFault('cannot look at the ends', error);
    });
  };

  private readonly maintainQuietly = (): void => {
    this.maintain().catch((error: unknown) => {
      this.onFault('maintenance has failed', error);
    });
  };
}
