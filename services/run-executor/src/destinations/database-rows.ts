import type { ExportDestination } from '@penstock/contracts';
import { type Database, DatabaseFault, type RefusedRow, type RowMerger } from '@penstock/databases';
import type { GuardedSockets } from '@penstock/egress';
import { align, type JsonObject, type RecordValue, type Schema } from '@penstock/schema';
import { Away } from '../engine/away';
import type { RowDestination } from '../engine/row-destination';
import { WholeRunError } from '../engine/whole-run-error';
import { withDeadline } from '../sources/with-deadline';
import { reasonWithoutValues } from './reason-without-values';

/** A table of a database, opened with the settings that its connection has now. */
export interface TableOptions {
  readonly connected: () => { readonly database: Database; readonly settings: JsonObject };
  readonly sockets: GuardedSockets;
  readonly table: Extract<ExportDestination, { kind: 'database' }>;
  readonly outSchema: Schema;
  /** Milliseconds for each call. */
  readonly deadlineMs: number;
}

const asRunError = (error: unknown): unknown => {
  if (!(error instanceof DatabaseFault)) return error;
  const { kind, message } = error;
  if (kind === 'Unreachable') return new Away(message, undefined, { cause: error });
  return new WholeRunError('Finalize', kind, message, { cause: error });
};

/** Only the types are compared: whether a column may be null is for the server to say, row by row. */
const withoutFlags = ({ kind, properties }: Schema): Schema => ({
  kind,
  properties: properties.map((property) => ({
    ...property,
    ...{ createRequired: false, updateRequired: false, readOptional: false, nullable: false },
  })),
});

/** @throws WholeRunError naming every difference. */
const checkColumns = (outSchema: Schema, columns: Schema): void => {
  const differences = align(withoutFlags(outSchema), withoutFlags(columns), null);
  if (differences.length === 0) return;
  const message = differences.map((each) => each.message).join('; ');
  throw new WholeRunError('OutputValidation', 'SchemaNotAligned', message);
};

/** The rows of a table, merged by its key. */
export class DatabaseRows implements RowDestination {
  private merger: RowMerger | undefined;
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: TableOptions) {}

  async open(signal: AbortSignal): Promise<void> {
    await this.alone(() => this.opened(signal));
  }

  async merge(
    rows: readonly RecordValue[],
    signal: AbortSignal,
    check: () => Promise<void>,
  ): Promise<readonly (string | undefined)[]> {
    const outcomes: (string | undefined)[] = rows.map(() => undefined);
    for (;;) {
      const left = [...outcomes.keys()].filter((index) => outcomes[index] === undefined);
      const batch = rows.filter((_, index) => outcomes[index] === undefined);
      const refused = batch.length === 0 ? [] : await this.mergeWhole(batch, signal, check);
      if (refused.length === 0) return outcomes;
      const reasons = this.reasonsOf(refused, batch);
      for (const { row, reason } of refused) outcomes[left[row] ?? 0] = reasons.get(reason);
    }
  }

  equalTexts(keys: readonly string[], signal: AbortSignal): Promise<readonly string[]> {
    if (this.merger !== undefined && this.merger.equalTexts === undefined)
      return Promise.resolve(keys);
    return this.alone(async () => {
      const merger = await this.opened(signal);
      const texts = async () => (await merger.equalTexts?.(keys)) ?? keys;
      try {
        return await withDeadline(this.options.deadlineMs, signal, texts);
      } catch (error) {
        await this.close();
        signal.throwIfAborted();
        throw asRunError(error);
      }
    });
  }

  /** Waits for other work on the one connection: a batch is prepared while the one before it is merged. */
  private alone<T>(work: () => Promise<T>): Promise<T> {
    const result = this.last.then(work);
    this.last = result.catch(() => undefined);
    return result;
  }

  async close(): Promise<void> {
    const { merger } = this;
    this.merger = undefined;
    await merger?.close().catch(() => undefined);
  }

  private mergeWhole(
    rows: readonly RecordValue[],
    signal: AbortSignal,
    check: () => Promise<void>,
  ) {
    return this.alone(() => this.mergeAlone(rows, signal, check));
  }

  private async mergeAlone(
    rows: readonly RecordValue[],
    signal: AbortSignal,
    check: () => Promise<void>,
  ) {
    const merger = await this.opened(signal);
    let failure: { readonly error: unknown } | undefined;
    const checked = () =>
      check().catch((error: unknown) => {
        failure = { error };
        throw error;
      });
    try {
      return await withDeadline(this.options.deadlineMs, signal, () => merger.merge(rows, checked));
    } catch (error) {
      await this.close();
      throw failure === undefined ? asRunError(error) : failure.error;
    }
  }

  private async opened(signal: AbortSignal): Promise<RowMerger> {
    if (this.merger !== undefined) return this.merger;
    const { connected, sockets, table, outSchema, deadlineMs } = this.options;
    const { database, settings } = connected();
    try {
      const columns = await withDeadline(deadlineMs, signal, (until) =>
        database.columns(table.table, settings, { sockets, signal: until }),
      );
      checkColumns(outSchema, columns.schema);
      const merge = {
        ...{ table: table.table, key: table.key },
        properties: outSchema.properties.map(({ name }) => name),
      };
      this.merger = await withDeadline(
        deadlineMs,
        signal,
        () => database.merger(merge, settings, { sockets, signal }),
        (late) => late.close(),
      );
      return this.merger;
    } catch (error) {
      signal.throwIfAborted();
      throw asRunError(error);
    }
  }

  /** What is told for each reason. One that is given for several rows may repeat the values of any of them. */
  private reasonsOf(
    refused: readonly RefusedRow[],
    rows: readonly RecordValue[],
  ): ReadonlyMap<string, string> {
    const { table, outSchema } = this.options;
    const rowsOf = new Map<string, RecordValue[]>();
    for (const { row, reason } of refused) {
      const those = rowsOf.get(reason) ?? [];
      rowsOf.set(reason, those);
      those.push(rows[row] ?? {});
    }
    return new Map(
      Array.from(rowsOf, ([reason, those]) => [
        reason,
        reasonWithoutValues(reason, those, outSchema, [table.table]),
      ]),
    );
  }
}
