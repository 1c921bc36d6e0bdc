import type { RunPosition } from '@penstock/contracts';
import type { Extent, SourcePage, SourceRecord } from './record-source';
import { unitsOf } from './units-of';

/** Records that are handled together, and where reading goes on behind them. */
export interface Batch {
  readonly records: readonly SourceRecord[];
  readonly position: RunPosition;
  /** How far the source was read with its last page. */
  readonly extent: Extent;
}

/** When a batch is closed. */
export interface BatchLimits {
  /** Records of a full batch. */
  readonly size: number;
  /** Milliseconds after the first record of a batch until it is closed while the source gives no more. */
  readonly stallMs: number;
}

interface Waiting {
  readonly record: SourceRecord;
  readonly page: SourcePage;
  readonly index: number;
  readonly sinceMs: number;
  readonly units: number;
}

/** UTF-16 units of text with which a batch is closed although it has room for more records. */
export const MAX_BATCH_UNITS = 8_388_608;

/** Batches, in records and in units, that are read ahead while one is handled: the full one that comes next, and the beginning of another. */
const READ_AHEAD = 2;

/** The part of the time of a stall without a record after which a source is known to give none. */
const QUIET = 0.05;

/**
 * Makes batches of the pages of a source, whatever their size. Reads ahead by two batches and a page.
 *
 * @param isWanted records that it refuses are dropped as if the source did not have them.
 */
export class Batches {
  private readonly waiting: Waiting[] = [];
  /** Of all that wait. */
  private units = 0;
  private readonly listeners = new Set<() => void>();
  private addedMs = 0;
  private isEnded = false;
  private isClosed = false;
  private failure: { readonly error: unknown } | undefined;
  private readonly pumping: Promise<void>;

  constructor(
    pages: AsyncIterable<SourcePage>,
    private readonly limits: BatchLimits,
    private readonly signal: AbortSignal,
    private readonly isWanted: (record: SourceRecord) => boolean,
  ) {
    this.pumping = this.pump(pages);
    signal.addEventListener('abort', this.changed);
  }

  /**
   * The next batch, never an empty one. Records that came before a failure of the source are given before it.
   *
   * @returns undefined when the source has ended.
   * @throws what the source has failed with, or the signal's reason.
   */
  async next(): Promise<Batch | undefined> {
    for (;;) {
      this.signal.throwIfAborted();
      const [first] = this.waiting;
      const isWhole = this.waiting.length >= this.limits.size || this.units >= MAX_BATCH_UNITS;
      const isOver = this.isEnded || this.failure !== undefined;
      const leftMs = first && this.leftMs(first);
      if (first !== undefined && (isWhole || isOver || (leftMs ?? 0) <= 0)) return this.take();
      if (this.failure !== undefined) throw this.failure.error;
      if (this.isEnded) return undefined;
      await this.change(leftMs);
    }
  }

  /** Reads no further. Resolves when nothing is being read any more. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.signal.removeEventListener('abort', this.changed);
    this.changed();
    await this.pumping;
  }

  /** A source that gives something all the time is waited for a little longer. */
  private leftMs({ sinceMs }: Waiting): number {
    const { stallMs } = this.limits;
    const until = Math.max(sinceMs + stallMs, this.addedMs + stallMs * QUIET);
    return until - performance.now();
  }

  private take(): Batch {
    const taken = this.waiting.splice(0, this.sizeOfNext());
    for (const { units } of taken) this.units -= units;
    this.changed();
    const last = taken.at(-1);
    if (last === undefined) throw new TypeError('a batch without records');
    return {
      records: taken.map(({ record }) => record),
      position: last.page.positionAfter(last.index + 1),
      extent: last.page.extent,
    };
  }

  private sizeOfNext(): number {
    let units = 0;
    const last = this.waiting.findIndex((each) => (units += each.units) >= MAX_BATCH_UNITS);
    return last < 0 ? this.limits.size : Math.min(this.limits.size, last + 1);
  }

  private async pump(pages: AsyncIterable<SourcePage>): Promise<void> {
    try {
      for await (const page of pages) {
        this.add(page);
        while (this.isAhead && !this.isOver) await this.change();
        if (this.isOver) break;
      }
      this.isEnded = true;
    } catch (error) {
      this.failure = { error };
    }
    this.changed();
  }

  private get isAhead(): boolean {
    return (
      this.waiting.length >= this.limits.size * READ_AHEAD ||
      this.units >= MAX_BATCH_UNITS * READ_AHEAD
    );
  }

  private get isOver(): boolean {
    return this.isClosed || this.signal.aborted;
  }

  private add(page: SourcePage): void {
    const sinceMs = performance.now();
    this.addedMs = sinceMs;
    page.records.forEach((record, index) => {
      if (!this.isWanted(record)) return;
      const units = unitsOf(record.values);
      this.units += units;
      this.waiting.push({ record, page, index, sinceMs, units });
    });
    this.changed();
  }

  private readonly changed = (): void => {
    for (const listener of [...this.listeners]) listener();
  };

  /** Resolves with the next change, or after this time. */
  private change(ms?: number): Promise<void> {
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout | undefined;
      const done = (): void => {
        this.listeners.delete(done);
        clearTimeout(timer);
        resolve();
      };
      this.listeners.add(done);
      if (ms !== undefined) timer = setTimeout(done, Math.ceil(ms));
    });
  }
}
