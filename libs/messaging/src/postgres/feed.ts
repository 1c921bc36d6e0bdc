import { setTimeout as sleep } from 'node:timers/promises';
import { deliver } from '../deliver';
import type { BatchHandler, LogRecord } from '../message-log';
import type { Database } from './database';
import { type Cursor, fetchRecords } from './fetch';
import type { LogEnds, Watch } from './log-ends';
import { Pace } from './pace';
import type { Topic } from './topics';

const DEFAULT_MAX_RECORDS = 500;
/** Of all partitions of one reader together, unless single records are larger. */
const MAX_BYTES_IN_HAND = 16 * 1024 * 1024;
const RETRY_MS = 500;
/** A round trip costs as much for one record as for some; appends are gathered already. */
const PACE = { fromPerSecond: 250, gatherMs: 12, enough: 200 };

export interface FeedOptions {
  readonly topic: Topic;
  readonly onBatch: BatchHandler;
  readonly maxRecords?: number | undefined;
  readonly onFault: (what: string, error: unknown) => void;
  /** After a batch, and where there is nothing to deliver: the offset to go on from. */
  readonly onMoved?: (partition: number, nextOffset: number) => void;
  /** While it answers false nothing is delivered; `wake` looks again. */
  readonly mayDeliver?: () => boolean;
}

interface ReadPartition {
  offset: number;
  sinceMs: number;
  readonly leaving: AbortController;
  busy: Promise<void> | undefined;
}

/** Reads partitions of a topic on from their positions, and hands each its batches, one at a time. */
export class Feed {
  private readonly partitions = new Map<number, ReadPartition>();
  /** The batches in hand of partitions that were removed or moved, until they have ended. */
  private readonly departures = new Map<number, Promise<void>>();
  private readonly watch: Watch;
  private readonly limits;
  private readonly pace = new Pace(PACE);
  private fetching: Promise<void> | undefined;

  constructor(
    private readonly database: Database,
    ends: LogEnds,
    private readonly options: FeedOptions,
  ) {
    const { partitionIds } = options.topic;
    this.watch = ends.watch(partitionIds, this.wake);
    this.limits = {
      maxRecords: options.maxRecords ?? DEFAULT_MAX_RECORDS,
      maxBytes: Math.floor(MAX_BYTES_IN_HAND / partitionIds.length),
    };
  }

  /** Starts a partition, or moves it; a batch that it has in hand ends before. */
  add(partition: number, offset: number): void {
    const before = this.depart(partition);
    const reading: ReadPartition = {
      offset,
      sinceMs: 0,
      leaving: new AbortController(),
      busy: before,
    };
    this.partitions.set(partition, reading);
    if (before) void before.then(() => (reading.busy = undefined)).then(this.wake);
    else this.wake();
  }

  /** Ends partitions; resolves when their batches in hand have ended. Nothing is delivered afterwards. */
  async remove(partitions: Iterable<number>): Promise<void> {
    await Promise.all([...partitions].map(async (partition) => this.depart(partition)));
  }

  async close(): Promise<void> {
    this.watch.close();
    await this.remove([...this.partitions.keys()]);
    await this.fetching;
  }

  /** The offset that each partition goes on from. */
  get offsets(): ReadonlyMap<number, number> {
    return new Map([...this.partitions].map(([partition, { offset }]) => [partition, offset]));
  }

  readonly wake = (): void => {
    if (this.pace.isGathering) this.pace.came(this.waiting);
    this.fetching ??= this.fetch();
  };

  /** One round trip serves all partitions that are free; those that become free meanwhile wait for the next. */
  private async fetch(): Promise<void> {
    await new Promise(setImmediate);
    while (this.freePartitions().size > 0) {
      await this.pace.begin(this.waiting);
      try {
        this.pace.note(1);
        await this.fetchInto(this.freePartitions());
      } catch (error) {
        this.options.onFault('cannot read the log', error);
        await sleep(RETRY_MS);
      }
    }
    this.fetching = undefined;
  }

  /** What is fetched or waits for the partition is not delivered any more. @returns the end of what is in hand. */
  private depart(partition: number): Promise<void> | undefined {
    const reading = this.partitions.get(partition);
    this.partitions.delete(partition);
    reading?.leaving.abort();
    if (!reading?.busy) return this.departures.get(partition);
    const departure = reading.busy.then(() => {
      if (this.departures.get(partition) === departure) this.departures.delete(partition);
    });
    this.departures.set(partition, departure);
    return departure;
  }

  private freePartitions(): ReadonlyMap<number, ReadPartition> {
    if (this.options.mayDeliver?.() === false) return new Map();
    return new Map(
      [...this.partitions].filter(
        ([partition, { busy, leaving, offset }]) =>
          !busy && !leaving.signal.aborted && offset < this.endOf(partition),
      ),
    );
  }

  /** Offsets that a fetch could ask for now. */
  private get waiting(): number {
    let waiting = 0;
    for (const [partition, { offset }] of this.freePartitions())
      waiting += this.endOf(partition) - offset;
    return waiting;
  }

  private async fetchInto(partitions: ReadonlyMap<number, ReadPartition>): Promise<void> {
    if (partitions.size === 0) return;
    const cursors: Cursor[] = [];
    const ends = new Map<number, number>();
    for (const [partition, { offset, sinceMs }] of partitions) {
      cursors.push({ partition, offset, sinceMs });
      ends.set(partition, this.endOf(partition));
    }
    const { database, limits } = this;
    const fetched = await fetchRecords(database, this.options.topic.id, cursors, limits);
    for (const [partition, reading] of partitions) {
      if (reading.leaving.signal.aborted) continue;
      const records = fetched.get(partition) ?? [];
      if (records.length === 0)
        this.move(partition, reading, ends.get(partition) ?? reading.offset);
      else reading.busy = this.work(partition, reading, records);
    }
  }

  private async work(
    partition: number,
    reading: ReadPartition,
    records: readonly LogRecord[],
  ): Promise<void> {
    const { onBatch, onFault } = this.options;
    const last = records.at(-1);
    const { signal } = reading.leaving;
    const isDone = await deliver(partition, records, { onBatch, onFault, signal });
    reading.busy = undefined;
    if (!isDone || !last) return;
    reading.sinceMs = last.timestampMs;
    this.move(partition, reading, last.offset + 1);
    this.wake();
  }

  /** Also over offsets that hold no record any more: compacted, or older than the retention. */
  private move(partition: number, reading: ReadPartition, offset: number): void {
    reading.offset = offset;
    this.options.onMoved?.(partition, offset);
  }

  private endOf(partition: number): number {
    return this.watch.endOf(this.options.topic.partitionIds[partition] ?? 0);
  }
}
