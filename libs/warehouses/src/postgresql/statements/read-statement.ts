import { type Client, escapeIdentifier, type FieldDef, type QueryArrayResult } from 'pg';
import type { JsonString } from '@penstock/contracts';
import type {
  StatementColumn,
  StatementRows,
  StatementWanted,
} from '../../platform/statement-reads';
import { EXACT } from '../reading/column-values';
import { bytesOf, nextRows } from './batch-rows';
import { cellText } from './cell-text';

const CURSOR = 'statement';

/** Source: the specification of the warehouse, "Settings". */
const STATEMENT_MS = 30_000;

/** The longest wait for a table that somebody else holds. */
const LOCK_MS = 10_000;

/** What a session begins with. It has no transaction that can write, even where the first one were ended. */
const begin = (schema: string): string =>
  [
    'SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY',
    'BEGIN TRANSACTION ISOLATION LEVEL READ COMMITTED READ ONLY',
    `SET LOCAL statement_timeout = ${STATEMENT_MS}`,
    `SET LOCAL idle_in_transaction_session_timeout = ${STATEMENT_MS}`,
    `SET LOCAL lock_timeout = ${LOCK_MS}`,
    `SET LOCAL search_path = ${escapeIdentifier(schema)}`,
    // One statement takes one process of the server.
    'SET LOCAL max_parallel_workers_per_gather = 0',
    ...EXACT,
  ].join('; ');

type Texts = readonly (string | null)[];

const AS_TEXT = { getTypeParser: () => (text: string) => text };

/** A message of the protocol that takes one statement, and of these a cursor takes those only that give rows. */
const declare = async (client: Client, text: string): Promise<void> => {
  const message = {
    text: `DECLARE ${CURSOR} NO SCROLL CURSOR FOR ${text}`,
    queryMode: 'extended',
  };
  await client.query(message);
};

const fetch = (client: Client, rows: number): Promise<QueryArrayResult<(string | null)[]>> =>
  client.query({
    text: `FETCH FORWARD ${rows} FROM ${CURSOR}`,
    rowMode: 'array',
    types: AS_TEXT,
  });

const columnsOf = async (
  client: Client,
  fields: readonly FieldDef[],
): Promise<readonly StatementColumn[]> => {
  const { rows } = await client.query<{ type: string }>(
    `SELECT pg_catalog.format_type(id, modifier) AS type
     FROM ROWS FROM (pg_catalog.unnest($1::oid[]), pg_catalog.unnest($2::int[])) WITH ORDINALITY AS f (id, modifier, place)
     ORDER BY place`,
    [fields.map(({ dataTypeID }) => dataTypeID), fields.map((field) => field.dataTypeModifier)],
  );
  return fields.map(({ name }, at) => ({ name, type: rows[at]?.type ?? '' }));
};

const rowText = (fields: readonly FieldDef[], row: Texts): JsonString =>
  `[${row.map((text, at) => cellText(fields[at]?.dataTypeID ?? 0, text)).join(',')}]`;

/** Rows as they come, until there are no more of them, or no room for more. */
class Rows {
  readonly texts: JsonString[] = [];
  fields: readonly FieldDef[] = [];
  isCut = false;
  private bytes = 0;
  private largestBytes = 0;

  constructor(private readonly maxBytes: number) {}

  /** How many the batch after one of so many is to have. */
  after(before: number): number {
    return nextRows(before, this.largestBytes);
  }

  add(fields: readonly FieldDef[], rows: readonly Texts[]): void {
    this.fields = fields;
    for (const row of rows) {
      if (this.isCut) return;
      this.largestBytes = Math.max(this.largestBytes, bytesOf(row));
      const text = rowText(fields, row);
      this.bytes += Buffer.byteLength(text) + 1;
      this.isCut = this.texts.length > 0 && this.bytes > this.maxBytes;
      if (!this.isCut) this.texts.push(text);
    }
  }
}

/** Begins what {@link readStatement} goes on with. */
export const beginReading = async (client: Client, schema: string): Promise<void> => {
  await client.query(begin(schema));
};

/**
 * Executes a statement that somebody else has written, in the read-only transaction that {@link beginReading} has begun. The session
 * is of no use afterwards: nobody knows what became of it.
 *
 * @throws what the driver throws
 */
export const readStatement = async (
  client: Client,
  { text, maxBytes }: StatementWanted,
): Promise<StatementRows> => {
  await declare(client, text);
  const rows = new Rows(maxBytes);
  for (let wanted = rows.after(0); ; wanted = rows.after(wanted)) {
    const batch = await fetch(client, wanted);
    rows.add(batch.fields, batch.rows);
    if (rows.isCut || batch.rows.length < wanted) break;
  }
  const columns = await columnsOf(client, rows.fields);
  return { columns, rows: rows.texts, isCut: rows.isCut };
};
