import type { ImportSource, Microtime, RecordColumns } from '@penstock/contracts';
import { type Database, DatabaseFault, type DatabaseRows } from '@penstock/databases';
import type { GuardedSockets } from '@penstock/egress';
import { canonicalDateTime, type JsonObject, type Schema } from '@penstock/schema';
import { Away } from '../engine/away';
import {
  type ReadingWanted,
  type RecordReading,
  type RecordSource,
  type SourcePage,
  UNKNOWN_EXTENT,
} from '../engine/record-source';
import { WholeRunError } from '../engine/whole-run-error';
import { columnReader, columnsWanted } from './column-reader';
import { withDeadline } from './with-deadline';

/** A query of a database. */
export interface DatabaseSourceOptions {
  readonly database: Database;
  readonly settings: JsonObject;
  readonly sockets: GuardedSockets;
  readonly query: Extract<ImportSource, { kind: 'database' }>;
  /** Milliseconds until rows must come, the first ones and those after them. */
  readonly rowsMs: number;
}

const ALL_ROWS = 9_223_372_036_854_775_807n;
const DATE_LENGTH = 10;
const DAY_MS = 86_400_000;

const asRunError = (error: unknown): unknown => {
  if (!(error instanceof DatabaseFault)) return error;
  const { kind, message } = error;
  if (kind === 'Unreachable') return new Away(message, undefined, { cause: error });
  return new WholeRunError('Receive', kind, message, { cause: error });
};

/**
 * A text that is no greater than any of the time in ISO 8601, with or without a fraction, `T` or an offset: the day
 * before. What is older than the cursor is skipped while reading.
 */
const beforeTexts = (since: Microtime): string =>
  new Date(Date.parse(since.slice(0, DATE_LENGTH)) - DAY_MS).toISOString().slice(0, DATE_LENGTH);

/** The cursor as a value of the column of update times. */
const updatedAtOf = (
  { columns: { updatedAt, updatedAtFormat } }: DatabaseSourceOptions['query'],
  { properties }: Schema,
  since: Microtime | null,
) => {
  const type = properties.find(({ name }) => name === updatedAt)?.type;
  if (since === null || type === undefined) return null;
  if (type.kind === 'date') return { type, value: since.slice(0, DATE_LENGTH) };
  if (type.kind === 'datetime') return { type, value: canonicalDateTime(since) ?? since };
  // Of no other format is it known how its texts are ordered: all rows are read, and older ones skipped.
  if (updatedAtFormat !== 'ISO8601') return null;
  return { type: { kind: 'string' } as const, value: beforeTexts(since) };
};

/** The rows of a query, which has no places: it is run again from its start. */
export class DatabaseRecords implements RecordSource {
  constructor(private readonly options: DatabaseSourceOptions) {}

  async open({ from, changedSince, schema, signal }: ReadingWanted): Promise<RecordReading> {
    const { database, settings, sockets, query, rowsMs } = this.options;
    try {
      const values = { updatedAt: updatedAtOf(query, schema, changedSince), limit: ALL_ROWS };
      const wanted = columnsWanted(schema, query.columns);
      const rows = await withDeadline(
        rowsMs,
        signal,
        (until) =>
          database.query({ text: query.query, values, wanted }, settings, {
            sockets,
            signal: until,
          }),
        (late) => late.close(),
      );
      return {
        schema: rows.schema,
        warnings: rows.issues,
        restarted: from.kind === 'start' ? null : 'the query is run again',
        pages: pagesOf(rows, query.columns, (wait) => withDeadline(rowsMs, signal, wait)),
        close: () => rows.close(),
      };
    } catch (error) {
      signal.throwIfAborted();
      throw asRunError(error);
    }
  }
}

type Wait = <T>(call: () => Promise<T>) => Promise<T>;

/** @param wait how long rows are waited for. */
async function* pagesOf(
  rows: DatabaseRows,
  columns: RecordColumns,
  wait: Wait,
): AsyncGenerator<SourcePage> {
  const read = columnReader(columns, rows.schema, 'database', 'row');
  const batches = rows.records[Symbol.asyncIterator]();
  let number = 0;
  try {
    for (;;) {
      const next = await wait(() => batches.next());
      if (next.done === true) return;
      const records = next.value;
      const start = number;
      number += records.length;
      yield {
        extent: UNKNOWN_EXTENT,
        records: records.map(read),
        positionAfter: (count) => ({
          ...{ kind: 'record', record: start + count },
          ...{ size: null, modifiedAt: null, tag: null },
        }),
      };
    }
  } catch (error) {
    throw asRunError(error);
  }
}
