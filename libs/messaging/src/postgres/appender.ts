import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseError, type PoolClient } from 'pg';
import { LogOverloaded, type NewMessage, type Position } from '../message-log';
import { partitionOf } from '../partition-of';
import { AppendCall, type Pending } from './append-call';
import { AppendQueue } from './append-queue';
import { asLogError, type Database } from './database';
import { flushStatement, type Part } from './flush-statement';
import type { Topic } from './topics';

const RETRY_MS = 200;
/** What a message costs beyond its texts: objects, offsets, promise. Estimated. */
const OVERHEAD_BYTES = 200;

/**
 * A flush costs about 300 us of PostgreSQL and 250 us of Node whatever it carries, a message 15 us and 10 us:
 * under load flushes begin no closer than this. Measured at 7,600 messages a second.
 */
const BUSY_INTERVAL_MS = 3;
/** A flush that carries so many shows load; one of fewer is followed by the next at once. */
const BUSY_MESSAGES = 8;

export interface AppenderOptions {
  /** Bytes that may wait or be on their way. */
  readonly maxBufferedBytes: number;
  /** Told of each end that a flush has moved, by partition id. */
  readonly onFlushed: (ends: ReadonlyMap<number, number>) => void;
  /** Makes the table that a message of this moment belongs into, when it was not there. */
  readonly makeRoom: () => Promise<void>;
}

const sizeOf = ({ key, value }: NewMessage): number =>
  OVERHEAD_BYTES + key.length + (value?.length ?? 0);

const CHECK_VIOLATION = '23514';

/** Nothing was written: no segment stands ready for the present time. */
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

/**
 * Appends in flushes: while one is on its way the next gathers. One at a time, which keeps the order of keys;
 * a flush is dearer by the statement than by the message, so that more at once would only make smaller ones.
 */
export class Appender {
  private readonly queue = new AppendQueue();
  private bytesOnTheWay = 0;
  private running: Promise<void> | undefined;

  constructor(
    private readonly database: Database,
    private readonly options: AppenderOptions,
  ) {}

  /** @param untilMs by `performance.now()`: when the append is given up. @throws LogOverloaded */
  append(
    { partitionIds }: Topic,
    messages: readonly NewMessage[],
    untilMs: number,
  ): Promise<readonly Position[]> {
    const bytes = messages.reduce((sum, message) => sum + sizeOf(message), 0);
    const buffered = this.queue.bytes + this.bytesOnTheWay;
    if (buffered > 0 && buffered + bytes > this.options.maxBufferedBytes)
      throw new LogOverloaded(`${buffered} bytes are waiting to be appended`);
    const call = new AppendCall(messages.length, untilMs, () => {
      this.queue.withdraw();
    });
    messages.forEach((message, index) => {
      const partition = partitionOf(message.key, partitionIds.length);
      const partitionId = partitionIds[partition] ?? 0;
      this.queue.push({ partitionId, partition, message, bytes: sizeOf(message), call, index });
    });
    this.running ??= this.run();
    return call.positions;
  }

  /** Resolves once nothing waits: all is placed or given up. */
  async drain(): Promise<void> {
    await this.running;
  }

  private async run(): Promise<void> {
    await new Promise(setImmediate);
    while (!this.queue.isEmpty) {
      const startMs = performance.now();
      const isBusy = (await this.flush()) >= BUSY_MESSAGES;
      const restMs = startMs + BUSY_INTERVAL_MS - performance.now();
      if (isBusy && restMs > 0) await sleep(restMs);
    }
    this.running = undefined;
  }

  /** @returns how many messages were sent. */
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
    return flush.length;
  }

  private async send(client: PoolClient, flush: readonly Pending[]): Promise<void> {
    const groups = byPartition(flush);
    const parts = [...groups].map(([partitionId, group]): Part => {
      return { partitionId, messages: group.map(({ message }) => message) };
    });
    const ends = new Map<number, number>();
    for (const [partitionId, base] of await this.write(client, parts)) {
      const group = groups.get(partitionId) ?? [];
      ends.set(partitionId, base + group.length);
      for (const [rank, { call, index, partition }] of group.entries())
        call.place(index, { partition, offset: base + rank });
    }
    this.options.onFlushed(ends);
  }

  private async write(client: PoolClient, parts: readonly Part[]) {
    const query = { ...flushStatement(parts), rowMode: 'array' as const };
    const { rows } = await client.query<[number, string]>(query).catch(async (error: unknown) => {
      if (!isWithoutTable(error)) throw asLogError(error);
      await this.options.makeRoom();
      return client.query<[number, string]>(query);
    });
    return rows.map(([id, base]) => [id, Number(base)] as const);
  }
}
