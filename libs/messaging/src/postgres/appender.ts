import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseError, type PoolClient, type QueryConfig } from 'pg';
import { LogOverloaded, type NewMessage, type Position } from '../message-log';
import { partitionOf } from '../partition-of';
import type { UnlessMoved } from '../topic-moved';
import { AppendCall, type Pending } from './append-call';
import { AppendQueue } from './append-queue';
import { Conditions, type Ends } from './conditions';
import { asLogError, type Database } from './database';
import { type FlushRow, flushStatement, type Part } from './flush-statement';
import { Pace } from './pace';
import type { Topic, Topics } from './topics';

const RETRY_MS = 200;
/** Memory of a message besides its texts: objects, offsets, promise. Estimated. */
const OVERHEAD_BYTES = 200;

/** A flush costs about 300 us of PostgreSQL and 250 us of Node whatever its size, a message 15 us and 10 us. */
const PACE = { fromPerSecond: 500, gatherMs: 12, enough: 50, quietMs: 4 };

export interface AppenderOptions {
  /** Bytes that may wait or be in progress. */
  readonly maxBufferedBytes: number;
  /** Called after a flush with the new ends, by partition id. */
  readonly onFlushed: (ends: ReadonlyMap<number, number>) => void;
  /** Makes the missing table for messages of the present time. */
  readonly makeRoom: () => Promise<void>;
  readonly topics: Pick<Topics, 'named'>;
}

/** One append, with its limits checked. */
export interface Append {
  readonly messages: readonly NewMessage[];
  /** Deadline by `performance.now()`. */
  readonly untilMs: number;
  readonly unlessMoved?: UnlessMoved | undefined;
}

const sizeOf = ({ key, value }: NewMessage): number =>
  OVERHEAD_BYTES + key.length + (value?.length ?? 0);

const CHECK_VIOLATION = '23514';

/** Whether nothing was written because there is no segment for the present time. */
const isWithoutTable = (error: unknown): boolean =>
  error instanceof DatabaseError && error.code === CHECK_VIOLATION;

const byPartition = (flush: readonly Pending[]): ReadonlyMap<number, readonly Pending[]> => {
  const groups = new Map<number, Pending[]>();
  for (const pending of flush) {
    const group = groups.get(pending.partitionId);
    if (group) group.push(pending);
    else groups.set(pending.partitionId, [pending]);
  }
  return new Map([...groups].sort(([a], [b]) => a - b));
};

const stillWaiting = (flush: readonly Pending[]): readonly Pending[] =>
  flush.filter(({ call }) => !call.isSettled);

/**
 * Appends in flushes: while one is in progress, messages for the next gather. One at a time keeps the order of keys;
 * since the cost is per statement rather than per message, concurrent flushes would only be smaller.
 */
export class Appender {
  private readonly queue = new AppendQueue();
  private readonly pace = new Pace(PACE);
  private bytesOnTheWay = 0;
  private running: Promise<void> | undefined;
  private readonly conditions: Conditions;

  constructor(
    private readonly database: Database,
    private readonly options: AppenderOptions,
  ) {
    this.conditions = new Conditions(options.topics);
  }

  /** @throws LogOverloaded */
  append(
    { partitionIds }: Topic,
    { messages, untilMs, unlessMoved }: Append,
  ): Promise<readonly Position[]> {
    const bytes = messages.reduce((sum, message) => sum + sizeOf(message), 0);
    const buffered = this.queue.bytes + this.bytesOnTheWay;
    if (buffered > 0 && buffered + bytes > this.options.maxBufferedBytes)
      throw new LogOverloaded(`${buffered} bytes are waiting to be appended`);
    const withdraw = () => {
      this.queue.withdraw();
    };
    const call = new AppendCall(messages.length, untilMs, withdraw, unlessMoved);
    messages.forEach((message, index) => {
      const partition = partitionOf(message.key, partitionIds.length);
      const partitionId = partitionIds[partition] ?? 0;
      this.queue.push({ partitionId, partition, message, bytes: sizeOf(message), call, index });
    });
    this.pace.came(this.queue.length);
    this.running ??= this.run();
    return call.positions;
  }

  /** Resolves once nothing waits: all messages are stored or their calls rejected. */
  async drain(): Promise<void> {
    await this.running;
  }

  private async run(): Promise<void> {
    await new Promise(setImmediate);
    while (!this.queue.isEmpty) {
      await this.pace.begin(this.queue.length);
      this.pace.note(await this.flush());
    }
    this.running = undefined;
  }

  /** @returns the number of appends that were served. */
  private async flush(): Promise<number> {
    const client = await this.database.connect().catch(() => undefined);
    if (!client) {
      await sleep(RETRY_MS);
      return 0;
    }
    const flush = this.queue.take();
    this.bytesOnTheWay = flush.reduce((sum, { bytes }) => sum + bytes, 0);
    try {
      if (flush.length > 0) await this.send(client, flush);
      client.release();
    } catch (error) {
      client.release(true);
      for (const { call } of flush) call.fail(error);
    } finally {
      this.bytesOnTheWay = 0;
    }
    return new Set(flush.map(({ call }) => call)).size;
  }

  /**
   * Writes a flush. When a topic had moved, nothing was written: calls whose condition does not fail are then written
   * at once, before later ones.
   */
  private async send(client: PoolClient, flush: readonly Pending[]): Promise<void> {
    const lowestEnds = await this.conditions.lowestEnds(flush);
    const moved = await this.write(client, stillWaiting(flush), lowestEnds);
    this.conditions.settle(flush, moved);
    if (moved.size > 0) await this.write(client, stillWaiting(flush), new Map());
  }

  /** @returns the present ends of partitions beyond their required end: then nothing was written. */
  private async write(
    client: PoolClient,
    flush: readonly Pending[],
    lowestEnds: Ends,
  ): Promise<Ends> {
    if (flush.length === 0) return new Map();
    const groups = byPartition(flush);
    const parts = [...groups].map(([partitionId, group]): Part => {
      return { partitionId, messages: group.map(({ message }) => message) };
    });
    const rows = await this.query(client, flushStatement(parts, lowestEnds));
    const moved = rows.filter(([, , hadMoved]) => hadMoved);
    if (moved.length === 0) this.place(groups, rows);
    return new Map(moved.map(([id, end]) => [id, Number(end)]));
  }

  private place(groups: ReadonlyMap<number, readonly Pending[]>, rows: readonly FlushRow[]): void {
    const ends = new Map<number, number>();
    for (const [partitionId, base] of rows) {
      const group = groups.get(partitionId) ?? [];
      ends.set(partitionId, Number(base) + group.length);
      for (const [rank, { call, index, partition }] of group.entries())
        call.place(index, { partition, offset: Number(base) + rank });
    }
    this.options.onFlushed(ends);
  }

  private async query(client: PoolClient, statement: QueryConfig): Promise<readonly FlushRow[]> {
    const query = { ...statement, rowMode: 'array' as const };
    const { rows } = await client.query<FlushRow>(query).catch(async (error: unknown) => {
      if (!isWithoutTable(error)) throw asLogError(error);
      await this.options.makeRoom();
      return client.query<FlushRow>(query);
    });
    return rows;
  }
}
