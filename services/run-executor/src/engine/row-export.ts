import { hash } from 'node:crypto';
import { type RecordValue, type Schema, textOf, type Type } from '@penstock/schema';
import type { Batch, BatchLimits } from './batches';
import { ExportBatches } from './export-batches';
import type { Patience } from './patience';
import { readToEnd } from './read-to-end';
import type { RecordFault, RecordSource, SourceRecord } from './record-source';
import type { RowDestination } from './row-destination';
import type { ExportLedger, RunSoFar, TakenKey } from './run-ledger';
import type { RunCompletion } from './run-performance';
import type { StepResult, Steps } from './steps';
import { ALL_STEPS, Tally } from './tally';

/** What an export of rows is performed with. */
export interface RowExportParts {
  /** Profiles in the order of their ids; where the reading goes on is the id of the last one. */
  readonly source: RecordSource;
  readonly inSchema: Schema;
  readonly steps: Steps;
  /** The property of the rows that finds them, and its type. */
  readonly key: { readonly name: string; readonly type: Type };
  readonly destination: RowDestination;
  readonly ledger: ExportLedger;
  readonly limits: BatchLimits;
  readonly patience: Patience;
}

/** An export changes nothing in the warehouse, and has no cursor. */
export const EXPORTED: RunCompletion = { purged: 0, cursor: null, warnings: [] };

const DUPLICATE: RecordFault = {
  code: 'DuplicateKey',
  message: 'another profile of this run has the same key',
};

/** A profile with the row that it has become. */
interface MadeRow {
  readonly id: string;
  readonly row: RecordValue;
}

/** A batch whose rows have their keys, and what its records have come to so far. */
interface PreparedBatch extends Pick<Batch, 'position' | 'extent'> {
  readonly made: readonly MadeRow[];
  readonly tally: Tally;
}

/**
 * Performs an export of rows under one claim: reads profiles, transforms them, merges the rows and settles batch by batch,
 * from where the last claim has come to. A batch that was merged and not settled is merged again.
 */
export class RowExport {
  private readonly batches: ExportBatches;
  /** The number of the batch that takes keys next. */
  private nextTaking: number;
  /** The batch that is merged and settled. */
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly run: RunSoFar,
    private readonly parts: RowExportParts,
    private readonly signal: AbortSignal,
  ) {
    this.batches = new ExportBatches(run, parts.ledger);
    this.nextTaking = run.nextBatch;
  }

  /** @throws WholeRunError, LeaseLost, Outdated, the signal's reason. */
  async perform(): Promise<RunCompletion> {
    const { ledger, destination, patience } = this.parts;
    try {
      // The first claim of a run follows none that could have taken some.
      if (this.run.nextBatch > 1)
        await patience.insist('Finalize', () => ledger.forgetUnsettledKeys());
      await patience.insist('Finalize', () => destination.open(this.signal));
      await this.exportAll();
      return EXPORTED;
    } finally {
      await destination.close();
    }
  }

  /**
   * While a batch is merged and settled, the next one is prepared: neither this process nor the database waits for the
   * other.
   */
  private async exportAll(): Promise<void> {
    const { source, inSchema: schema, limits, patience } = this.parts;
    const failed = new AbortController();
    const signal = AbortSignal.any([this.signal, failed.signal]);
    const handle = async (batch: Batch): Promise<void> => {
      const prepared = await this.prepared(batch);
      await this.writing;
      this.writing = this.write(prepared);
      this.writing.catch((error: unknown) => {
        failed.abort(error);
      });
    };
    const reading = { source, schema, from: this.run.position, limits, patience, signal };
    try {
      await readToEnd({ ...reading, isWanted: () => true, handle });
    } finally {
      // What it has failed with came before whatever else has.
      await this.writing;
    }
  }

  private async prepared({ records, position, extent }: Batch): Promise<PreparedBatch> {
    const tally = new Tally(ALL_STEPS);
    const made = await this.withOwnKeys(await this.made(records, tally), tally);
    return { made, tally, position, extent };
  }

  private async write({ made, tally, position, extent }: PreparedBatch): Promise<void> {
    const { patience } = this.parts;
    await this.merge(made, tally);
    this.signal.throwIfAborted();
    await this.batches.settle({ counts: tally, position, extent, warnings: [] }, (work) =>
      patience.insist('Finalize', work),
    );
    patience.progress();
  }

  /** The rows of the records that pass up to their transformation. */
  private async made(records: readonly SourceRecord[], tally: Tally): Promise<readonly MadeRow[]> {
    const { steps, patience } = this.parts;
    const wanted = records.filter(({ isLeftOut }) => isLeftOut !== true);
    for (let left = records.length - wanted.length; left > 0; left -= 1) tally.count('Filter');
    const values = wanted.map((record) => record.values);
    const results = await patience.insist('Transformation', () => steps.apply(values, this.signal));
    return wanted.flatMap(({ id }, index) => {
      const result = results[index];
      if (id === null || result === undefined) throw new TypeError('a profile without a result');
      if ('values' in result) return [{ id, row: result.values }];
      fail(tally, result, id);
      return [];
    });
  }

  /** Leaves out those whose key another profile of the run has: the first one keeps it. */
  private async withOwnKeys(made: readonly MadeRow[], tally: Tally): Promise<readonly MadeRow[]> {
    const { ledger, patience } = this.parts;
    const batch = this.nextTaking;
    this.nextTaking += 1;
    const keysOf = await this.keysOf(made);
    const firsts = new Map<string, TakenKey>();
    for (const [index, { id }] of made.entries()) {
      const key = hash('sha256', keysOf[index] ?? '', 'buffer');
      const name = key.toString('latin1');
      if (!firsts.has(name)) firsts.set(name, { key, profile: id });
    }
    if (firsts.size === 0) return [];
    const keys = [...firsts.values()];
    const taken = await patience.insist('Finalize', () => ledger.takeKeys(batch, keys));
    const first = new Set(keys.map(({ profile }) => profile));
    return made.filter(({ id }) => {
      if (first.has(id) && taken.has(id)) return true;
      fail(tally, { step: 'OutputValidation', fault: DUPLICATE }, id);
      return false;
    });
  }

  /** Texts by which the destination tells keys apart. */
  private keysOf(made: readonly MadeRow[]): Promise<readonly string[]> {
    const { key, destination, patience } = this.parts;
    const texts = made.map(({ row }) => textOf(key.type, row[key.name] ?? null));
    return patience.insist('Finalize', () => destination.equalTexts(texts, this.signal));
  }

  private async merge(made: readonly MadeRow[], tally: Tally): Promise<void> {
    if (made.length === 0) return;
    const { destination, ledger, patience } = this.parts;
    const rows = made.map(({ row }) => row);
    // A worker that was only slow leaves no older rows behind its successor.
    const outcomes = await patience.insist('Finalize', () =>
      destination.merge(rows, this.signal, () => ledger.check()),
    );
    made.forEach(({ id }, index) => {
      const reason = outcomes[index];
      tally.count(reason === undefined ? 'Merged' : 'Finalize');
      if (reason !== undefined) tally.explain('Finalize', { code: 'Refused', message: reason }, id);
    });
  }
}

const fail = (
  tally: Tally,
  { step, fault }: Exclude<StepResult, { readonly values: RecordValue }>,
  id: string,
): void => {
  tally.count(step);
  if (fault !== null) tally.explain(step, fault, id);
};
