import type { Microtime, RunPosition } from '@penstock/contracts';
import type { RecordValue, Schema } from '@penstock/schema';
import { type IdentityWriter, type Settled, WarehouseFault } from '@penstock/warehouses';
import { Away } from './away';
import { Furthest } from './furthest';
import { IdFilter } from './id-filter';
import { BatchHandling, type HandledBatch } from './batch-handling';
import { type Batch, Batches, type BatchLimits } from './batches';
import { LeaseLost } from './lease-lost';
import { Outdated } from './outdated';
import { atMost, laterOf } from './microtime';
import type { Patience } from './patience';
import type { RecordReading, RecordSource, SourceRecord } from './record-source';
import type { ImportLedger, RunSoFar } from './run-ledger';
import type { Steps } from './steps';
import { type StepsOfKind, Tally, type TalliedErrors } from './tally';
import { WholeRunError } from './whole-run-error';
import { WritingBatches } from './writing-batches';

/** What a run is performed with. */
export interface RunParts {
  readonly source: RecordSource;
  /** What is read of each record. */
  readonly inSchema: Schema;
  /** Compares what the source has with what the pipeline reads. @returns warnings @throws WholeRunError */
  readonly checkSource: (schema: Schema) => readonly string[];
  readonly steps: Steps;
  readonly stepsOfKind: StepsOfKind;
  readonly writer: IdentityWriter;
  readonly ledger: ImportLedger;
  readonly limits: BatchLimits;
  readonly patience: Patience;
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
}

/** How a run ends whose source was read to its end and written. */
export interface RunCompletion {
  readonly purged: number;
  readonly cursor: Microtime | null;
  /** Beside those that were recorded with the batches. */
  readonly warnings: readonly string[];
}

const MAX_FUTURE_US = 300_000_000n;
const US_PER_MS = 1_000;

const NOTHING_SEEN: ReadonlyMap<string, Settled> = new Map();

const START: RunPosition = { kind: 'start' };

/** What a fault of the warehouse means for a run. */
const asRunError = (error: unknown): unknown => {
  if (!(error instanceof WarehouseFault)) return error;
  switch (error.kind) {
    case 'unreachable':
    case 'busy':
    case 'locked':
      return new Away(error.message, undefined, { cause: error });
    case 'fenced':
      return new LeaseLost();
    case 'outdated':
      return new Outdated(error.message, { cause: error });
    default:
      return new WholeRunError('Finalize', 'InvalidWarehouse', error.message, { cause: error });
  }
};

/** Calls the warehouse. @throws Away, LeaseLost, Outdated, WholeRunError */
export const atWarehouse = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw asRunError(error);
  }
};

/**
 * Performs an import under one claim: reads, transforms, writes and settles batch by batch, from where the last claim
 * has come to. Whatever it throws, what was settled is on record and another claim goes on.
 */
export class RunPerformance {
  private position: RunPosition;
  private nextBatch: number;
  private readingFrom: number;
  private cursor: Microtime | null;
  private received: number;
  private duplicates: number;
  private withoutId: number;
  private placesWithoutId: readonly string[];
  private isWarned: boolean;
  private readonly reading = new Furthest();
  /** Ids of all batches that may be in the data warehouse; absent: others were written by an earlier claim. */
  private readonly given: IdFilter | undefined;

  constructor(
    private readonly run: RunSoFar,
    private readonly parts: RunParts,
    private readonly signal: AbortSignal,
  ) {
    this.position = run.position;
    this.nextBatch = run.nextBatch;
    this.readingFrom = run.readingFrom;
    this.cursor = run.cursor;
    this.received = (run.passed[0] ?? 0) + (run.failed[0] ?? 0);
    this.duplicates = run.duplicates;
    this.withoutId = run.withoutId;
    this.placesWithoutId = run.placesWithoutId;
    this.isWarned = run.warnings.length > 0;
    if (run.unsettled.length === 0) this.given = new IdFilter();
  }

  /** @throws WholeRunError, LeaseLost, Outdated, the signal's reason. */
  async perform(): Promise<RunCompletion> {
    const { patience } = this.parts;
    const { kind } = this.position;
    while (kind !== 'end' && !(await this.readOn()))
      await patience.wait('Receive', this.lastTrouble);
    return this.complete();
  }

  private lastTrouble = new Away('the source cannot be read');

  /** Reads as far as it gets. @returns whether that was to the end. */
  private async readOn(): Promise<boolean> {
    try {
      const reading = await this.open();
      try {
        await this.handleAll(reading);
      } finally {
        await reading.close();
      }
      return true;
    } catch (error) {
      this.signal.throwIfAborted();
      if (!(error instanceof Away)) throw error;
      this.lastTrouble = error;
      return false;
    }
  }

  private async open(): Promise<RecordReading> {
    const { source, inSchema, checkSource } = this.parts;
    const { incremental, startingCursor } = this.run;
    const reading = await source.open({
      from: this.position,
      changedSince: incremental ? startingCursor : null,
      schema: inSchema,
      signal: this.signal,
    });
    try {
      const missing = checkSource(reading.schema);
      if (reading.restarted !== null) await this.restart(reading.restarted);
      return { ...reading, warnings: [...reading.warnings, ...missing] };
    } catch (error) {
      await reading.close();
      throw error;
    }
  }

  private async restart(reason: string): Promise<void> {
    const { ledger, patience } = this.parts;
    await patience.insist('Finalize', () => ledger.restart(reason, this.nextBatch));
    this.readingFrom = this.nextBatch;
    this.position = START;
    this.cursor = null;
    [this.received, this.duplicates, this.withoutId] = [0, 0, 0];
    this.placesWithoutId = [];
    this.reading.beginAnew();
  }

  private async handleAll(reading: RecordReading): Promise<void> {
    const { limits } = this.parts;
    const batches = new Batches(reading.pages, limits, this.signal, (record) =>
      this.isWanted(record),
    );
    try {
      await this.handleEach(batches, reading);
    } finally {
      await reading.close();
      await batches.close();
    }
  }

  /**
   * While a batch is merged, the next one is staged and the one after it prepared: neither this process nor the
   * warehouse waits for the other. They are merged and settled one by one.
   */
  private async handleEach(batches: Batches, reading: RecordReading): Promise<void> {
    const writing = new WritingBatches();
    try {
      for (let sequence = this.nextBatch; ; sequence += 1) {
        const batch = await writing.unlessFailed(batches.next());
        if (batch === undefined) return;
        const handling = this.handling(sequence, writing);
        await handling.prepare(batch.records);
        await writing.begin(handling.recordIds, async (before) => {
          const handled = await handling.write(before);
          // The ledger takes a batch behind a later one for one that it has: whoever writes, none is settled out of turn.
          await before;
          await this.settle(batch, handled, reading);
        });
      }
    } finally {
      // What it has failed with came before whatever else has.
      await writing.ended();
    }
  }

  /** A record that is older than the cursor of an incremental run is not received at all. */
  private isWanted({ updatedAt }: SourceRecord): boolean {
    const { incremental, startingCursor } = this.run;
    if (!incremental || startingCursor === null || updatedAt === null) return true;
    return updatedAt >= startingCursor;
  }

  private handling(sequence: number, writing: WritingBatches): BatchHandling {
    const { steps, stepsOfKind, writer, patience, nowMs } = this.parts;
    const { run, pipeline, connection, startedAt, unsettled } = this.run;
    const atWriter = <T>(work: () => Promise<T>): Promise<T> =>
      patience.insist('Finalize', () => atWarehouse(work));
    return new BatchHandling({
      steps: stepsOfKind,
      // With the same tie-breaker, by which the warehouse knows that records have no time of their own.
      defaultTime: startedAt,
      tieBreaker: startedAt,
      isCounted: (batch) => batch >= this.readingFrom && !unsettled.includes(batch),
      isUnsettled: (batch) => unsettled.includes(batch),
      latestUs: BigInt(Math.floor(nowMs()) * US_PER_MS) + MAX_FUTURE_US,
      seen: async (ids) => {
        const maybe = this.given === undefined ? ids : ids.filter((id) => this.given?.add(id));
        if (maybe.length === 0) return NOTHING_SEEN;
        await writing.without(maybe);
        return atWriter(() => writer.seen(run, maybe));
      },
      apply: (values: readonly RecordValue[]) =>
        patience.insist('Transformation', () => steps.apply(values, this.signal)),
      write: (updates, settled, before) =>
        atWriter(() => {
          this.signal.throwIfAborted();
          const ofRun = { id: run, batch: sequence, ...settled };
          return writer.write({ pipeline, connection, updates, run: ofRun }, before);
        }),
    });
  }

  private async settle(
    batch: Batch,
    handled: HandledBatch,
    { warnings }: RecordReading,
  ): Promise<void> {
    await this.record(batch, handled, this.isWarned ? [] : warnings);
    if (this.reading.advance(batch.records.length)) this.parts.patience.progress();
  }

  private async record(
    { position, extent }: Pick<Batch, 'position' | 'extent'>,
    { tally, duplicates, withoutId, cursor }: HandledBatch,
    warnings: readonly string[],
  ): Promise<void> {
    const { ledger, patience } = this.parts;
    this.signal.throwIfAborted();
    const next = laterOf(this.cursor, cursor);
    const batch = {
      sequence: this.nextBatch,
      position,
      passed: tally.passed,
      failed: tally.failed,
      duplicates,
      withoutId,
      cursor: next,
      errors: tally.errors,
      recounted: tally.recounted,
      warnings,
      extent,
    };
    await patience.insist('Finalize', () => ledger.settle(batch));
    this.position = position;
    this.nextBatch += 1;
    this.cursor = next;
    this.isWarned = true;
    this.received += (tally.passed[0] ?? 0) + (tally.failed[0] ?? 0);
    this.duplicates += duplicates;
    this.withoutId += withoutId;
    if (this.placesWithoutId.length < MAX_PLACES)
      this.placesWithoutId = [...this.placesWithoutId, ...placesWithoutIdIn(tally.errors)];
  }

  private async complete(): Promise<RunCompletion> {
    const { incremental, startedAt } = this.run;
    const warnings = this.duplicates === 0 ? [] : [duplicatesWarning(this.duplicates)];
    const cursor = atMost(this.cursor, startedAt);
    if (incremental) return { purged: 0, cursor, warnings };
    const kept = this.whyNothingIsPurged();
    if (kept !== undefined) return { purged: 0, cursor, warnings: [...warnings, kept] };
    await this.endReading();
    return { purged: await this.purge(), cursor, warnings };
  }

  /** On record before anything is purged: what is read again then is written again, and purged again. */
  private async endReading(): Promise<void> {
    if (this.position.kind === 'end') return;
    const nothing = { duplicates: 0, withoutId: 0, cursor: null };
    await this.record(
      { position: { kind: 'end' }, extent: { total: null, share: 1 } },
      { tally: new Tally(this.parts.stepsOfKind), ...nothing },
      [],
    );
  }

  private whyNothingIsPurged(): string | undefined {
    if (this.received === 0)
      return 'the source has given no record: no identity was removed, in case it is only empty by mistake';
    if (this.withoutId > 0) return withoutIdWarning(this.withoutId, this.placesWithoutId);
    return undefined;
  }

  private purge(): Promise<number> {
    const { writer, patience, ledger } = this.parts;
    const { run, pipeline } = this.run;
    // On record piece by piece: a run that is cancelled meanwhile, or fails, tells what it has removed.
    const onPiece = (purged: number): Promise<void> =>
      patience.beside().insist('Finalize', () => ledger.purged(purged));
    return patience.insist('Finalize', () =>
      atWarehouse(() => writer.purge(pipeline, run, onPiece)),
    );
  }
}

/** Places that a warning names. */
const MAX_PLACES = 5;

const placesWithoutIdIn = (errors: readonly TalliedErrors[]): readonly string[] =>
  errors.flatMap(({ withoutId = 0, places = [] }) => (withoutId > 0 ? places : []));

const withoutIdWarning = (count: number, places: readonly string[]): string => {
  const shown = places.slice(0, Math.min(MAX_PLACES, count));
  const more = count > shown.length ? ' …' : '';
  const where = shown.length === 0 ? '' : ` (${shown.join(', ')}${more})`;
  return count === 1
    ? `1 record${where} has no readable id: no identity was removed, since one may be of this record`
    : `${count} records${where} have no readable id: no identity was removed, since some may be of these records`;
};

const duplicatesWarning = (count: number): string =>
  count === 1
    ? '1 record has the id of another record of this run: it is not counted'
    : `${count} records have the id of another record of this run: they are not counted`;
