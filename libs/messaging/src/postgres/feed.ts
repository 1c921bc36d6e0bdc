import { setTimeout as sleep } from 'node:timers/promises';
import { deliver } from '../deliver';
import type { BatchHandler, LogRecord } from '../message-log';
import type { Database } from './database';
import { type Cursor, fetchRecords } from './fetch';
import type { LogEnds, Watch } from './log-ends';
import { Pace } from './pace';
import type { Topic } from './topics';

const DEFAULT_MAX_RECORDS = 500;
/** Limit for all partitions of one reader together, unless single records are larger. */
const MAX_BYTES_IN_HAND = 16 * 1024 * 1024;
const RETRY_MS = 500;
/** A round trip for one record costs as much as for several; appends already gather. */
const PACE = { fromPerSecond: 250, gatherMs: 12, enough: 200 };

export interface FeedOptions {
  readonly topic: Topic;
  readonly onBatch: BatchHandler;
  readonly maxRecords?: number | undefined;
  readonly onFault: (what: string, error: unknown) => void;
  /** Called after a batch, and when there is nothing to deliver, with the next offset. */
  readonly onMoved?: (partition: number, nextOffset: number) => void;
  /** While it returns false nothing is delivered; `wake` checks again. */
  readonly mayDeliver?: () => boolean;
}

interface ReadPartition {
  offset: number;
  sinceMs: number;
  readonly leaving: AbortController;
  busy: Promise<void> | undefined;
}

/** Reads partitions of a topic from their positions, and delivers batches, one at a time per partition. */
export class Feed {
  private readonly partitions = new Map<number, ReadPartition>();
  /** Batches in progress of partitions that were removed or moved, as promises for their ends. */
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

  /** Starts or moves a partition; its batch in progress ends before. */
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

  /** Removes partitions; resolves when their batches in progress have ended. Nothing is delivered afterwards. */
  async remove(partitions: Iterable<number>): Promise<void> {
    await Promise.all([...partitions].map(async (partition) => this.depart(partition)));
  }

  async close(): Promise<void> {
    this.watch.close();
    await this.remove([...this.partitions.keys()]);
    await this.fetching;
  }

  /** The next offset of each partition. */
  get offsets(): ReadonlyMap<number, number> {
    return new Map([...this.partitions].map(([partition, { offset }]) => [partition, offset]));
  }

  readonly wake = (): void => {
    if (this.pace.isGathering) this.pace.came(this.waiting);
    this.fetching ??= this.fetch();
  };

  /** Fetches in one round trip for all free partitions; those that become free meanwhile wait for the next. */
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

  /**
   * Removes a partition: records already fetched are not delivered.
   *
   * @returns a promise for the end of its batch in progress.
   */
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

  /** Number of offsets that a fetch could request now. */
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

  /** Moves on, also past offsets without a record: compacted, or beyond the retention. */
  private move(partition: number, reading: ReadPartition, offset: number): void {
    reading.offset = offset;
    this.options.onMoved?.(partition, offset);
  }

  private endOf(partition: number): number {
    return this.watch.endOf(this.options.topic.partitionIds[partition] ?? 0);
  }
}
