import { RUN_STEPS, type RunPosition } from '@penstock/contracts';
import type { RecordValue, Schema } from '@penstock/schema';
import { Away } from './away';
import { type Batch, Batches, type BatchLimits } from './batches';
import { ExportBatches } from './export-batches';
import type { ExportedFile } from './exported-file';
import type { Patience } from './patience';
import { type Extent, type RecordSource, UNKNOWN_EXTENT } from './record-source';
import { EXPORTED } from './row-export';
import type { ExportLedger, RunSoFar } from './run-ledger';
import type { RunCompletion } from './run-performance';
import { type StepsOfKind, Tally } from './tally';
import { WholeRunError } from './whole-run-error';

/** What an export to a file is performed with. */
export interface FileExportParts {
  /** All profiles in the order of the file. */
  readonly source: RecordSource;
  readonly inSchema: Schema;
  readonly file: ExportedFile;
  readonly ledger: ExportLedger;
  readonly limits: BatchLimits;
  readonly patience: Patience;
  /** Between attempts to write the file: what one has settled before it failed is no progress. */
  readonly attempts: Patience;
}

/** The steps that the records of a file pass before it is complete. */
const READ_STEPS: StepsOfKind = {
  ...{ Receive: true, InputValidation: true, Filter: true },
  ...{ Transformation: false, OutputValidation: false, Finalize: false },
};

const BEGUN: RunPosition = { kind: 'file', isComplete: false };
const COMPLETE: RunPosition = { kind: 'file', isComplete: true };

const ZEROS = RUN_STEPS.map(() => 0);
const NOTHING = { passed: ZEROS, failed: ZEROS, errors: [] };

/** What was sent may have arrived. */
const unconfirmed = (message: string): WholeRunError =>
  new WholeRunError(
    'Finalize',
    'Unconfirmed',
    `${message}; what may have arrived is not sent again`,
  );

/**
 * Performs an export to a file under one claim: reads the profiles as they stand at one moment and writes them, all or none.
 * A file that was not completed is begun anew, unless its storage takes it once only.
 */
export class FileExport {
  private readonly batches: ExportBatches;
  /** Whether anything was settled since counting began. */
  private isCounted: boolean;
  private isSent = false;
  private written = 0;
  private extent: Extent = UNKNOWN_EXTENT;
  private failure: { readonly error: unknown } | undefined;
  /** What the present attempt reads; undefined between attempts. */
  private reading: Batches | undefined;
  /** What is being done with the batch that was read last. */
  private handling: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly run: RunSoFar,
    private readonly parts: FileExportParts,
    private readonly signal: AbortSignal,
  ) {
    this.batches = new ExportBatches(run, parts.ledger);
    this.isCounted = run.position.kind !== 'start';
  }

  /** @throws WholeRunError, LeaseLost, Outdated, the signal's reason. */
  async perform(): Promise<RunCompletion> {
    const { position } = this.run;
    if (position.kind === 'file' && position.isComplete) return EXPORTED;
    if (position.kind !== 'start') {
      if (!this.parts.file.isRepeatable)
        throw unconfirmed('a worker was lost that has sent the file');
      await this.countAnew('the worker that has written the file was lost');
    }
    while (!(await this.isWritten())) await this.countAnew('the file could not be completed');
    return EXPORTED;
  }

  /** Tries it once, and waits when that has failed. @returns whether the file is complete. */
  private async isWritten(): Promise<boolean> {
    try {
      await this.attempt();
      return true;
    } catch (error) {
      this.signal.throwIfAborted();
      if (!(error instanceof Away)) throw error;
      if (this.isSent) throw unconfirmed(error.message);
      const isRead = this.failure !== undefined;
      await this.parts.attempts.wait(isRead ? 'Receive' : 'Finalize', error);
      return false;
    }
  }

  private async attempt(): Promise<void> {
    const { source, inSchema: schema, limits } = this.parts;
    const { signal } = this;
    [this.written, this.failure] = [0, undefined];
    const reading = await this.atSource(() =>
      source.open({ from: { kind: 'start' }, changedSince: null, schema, signal }),
    );
    const batches = new Batches(reading.pages, limits, signal, () => true);
    this.reading = batches;
    try {
      await this.write(batches);
    } finally {
      this.reading = undefined;
      await reading.close();
      await batches.close();
      // Who compresses reads ahead of the storage: what is being counted is counted before all counting begins anew.
      await this.handling.catch(() => undefined);
    }
  }

  private async write(batches: Batches): Promise<void> {
    const { file, patience } = this.parts;
    // A storage is not kept waiting for the first profile, which comes when all are in order.
    const first = await this.atSource(() => batches.next());
    if (!file.isRepeatable) {
      await this.settle(NOTHING, BEGUN);
      this.isSent = true;
    }
    try {
      await file.write(this.records(first, batches), this.signal);
    } catch (error) {
      throw this.failure === undefined ? error : this.failure.error;
    }
    // The file is there: that is recorded even when the run is being cancelled.
    const counts = { ...NOTHING, passed: [...ZEROS.slice(1), this.written] };
    await this.batches.settle(
      { counts, position: COMPLETE, extent: this.extent, warnings: [] },
      (work) =>
        work().catch((error: unknown) => {
          if (!(error instanceof Away)) throw error;
          return patience.insist('Finalize', work);
        }),
    );
  }

  private async *records(
    first: Batch | undefined,
    batches: Batches,
  ): AsyncGenerator<readonly RecordValue[]> {
    const { ledger, patience } = this.parts;
    try {
      for (let batch = first; batch !== undefined; batch = await batches.next()) {
        if (this.reading !== batches) throw new Away('the attempt is over');
        const handling = this.handle(batch);
        this.handling = handling;
        const records = await handling;
        if (records.length > 0) yield records;
      }
      // A worker that was only slow does not give a file its place any more.
      await patience.insist('Finalize', () => ledger.check());
    } catch (error) {
      if (this.reading === batches) this.failure = { error };
      throw error;
    }
  }

  /** Counts a batch. @returns what of it is written. */
  private async handle({ records, extent }: Batch): Promise<readonly RecordValue[]> {
    const tally = new Tally(READ_STEPS);
    const written: RecordValue[] = [];
    for (const { id, values, isLeftOut } of records) {
      const problem = isLeftOut === true ? undefined : this.parts.file.problemOf(values);
      if (isLeftOut === true) tally.count('Filter');
      else if (problem === undefined) {
        tally.count('Merged');
        written.push(values);
      } else {
        tally.count('Finalize');
        tally.explain('Finalize', { code: 'Refused', message: problem }, id);
      }
    }
    this.extent = extent;
    await this.settle(tally, BEGUN);
    this.written += written.length;
    return written;
  }

  private async settle(
    counts: Pick<Tally, 'passed' | 'failed' | 'errors'>,
    position: RunPosition,
  ): Promise<void> {
    const { patience } = this.parts;
    await this.batches.settle({ counts, position, extent: this.extent, warnings: [] }, (work) =>
      patience.insist('Finalize', work),
    );
    this.isCounted = true;
  }

  private async countAnew(reason: string): Promise<void> {
    if (!this.isCounted) return;
    const { ledger, patience } = this.parts;
    await patience.insist('Finalize', () => ledger.restart(reason, this.batches.number));
    this.isCounted = false;
  }

  private async atSource<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.failure = { error };
      throw error;
    }
  }
}
