import type { Client } from 'pg';
import type { ReadableTable, ReadableTables } from '../../platform/statement-reads';

/** Columns in all that are read: some tables of the greatest width. */
const MAX_COLUMNS = 5_000;

interface Found {
  readonly table: string;
  readonly name: string;
  readonly type: string;
}

/** What the user may read in the schema, without what is the service's own. */
const STATEMENT = `
  SELECT c.relname AS table, a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  WHERE n.nspname = $1 AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND c.relname NOT LIKE '\\_%'
    AND has_column_privilege(c.oid, a.attnum, 'SELECT')
  ORDER BY c.relname, a.attnum LIMIT ${MAX_COLUMNS + 1}`;

const byTable = (found: readonly Found[]): readonly ReadableTable[] => {
  const tables = new Map<string, { name: string; type: string }[]>();
  for (const { table, name, type } of found) {
    const columns = tables.get(table) ?? [];
    columns.push({ name, type });
    tables.set(table, columns);
  }
  return Array.from(tables, ([name, columns]) => ({ name, columns }));
};

/** The tables and views of a schema that the user of the connection may read, with the columns that it may read. */
export const readableTables = async (client: Client, schema: string): Promise<ReadableTables> => {
  const { rows } = await client.query<Found>(STATEMENT, [schema]);
  const isCut = rows.length > MAX_COLUMNS;
  const tables = byTable(rows);
  // The last table may have other columns.
  return { tables: isCut ? tables.slice(0, -1) : tables, isCut };
};
