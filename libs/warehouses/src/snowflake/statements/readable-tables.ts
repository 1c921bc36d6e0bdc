import { type Cell, snowflakeName, type SnowflakeSession } from '@penstock/databases';
import type {
  ReadableTable,
  ReadableTables,
  StatementColumn,
} from '../../platform/statement-reads';
import type { Place } from '../sql/names';

/** Columns in all that are read: some tables of the greatest width. */
const MAX_COLUMNS = 5_000;

/** The catalogue shows what the role has some right on. What is the service's own begins with `_`. */
const statement = ({ database }: Place): string => `
  SELECT TABLE_NAME, COLUMN_NAME, DATA_TYPE, CHARACTER_MAXIMUM_LENGTH, NUMERIC_PRECISION, NUMERIC_SCALE
  FROM ${snowflakeName(database)}.INFORMATION_SCHEMA.COLUMNS
  WHERE TABLE_SCHEMA = ? AND LEFT(TABLE_NAME, 1) <> '_'
  ORDER BY TABLE_NAME, ORDINAL_POSITION LIMIT ${String(MAX_COLUMNS + 1)}`;

/** In the words of the platform; of times the catalogue does not say how many digits they have. */
const typeOf = ([, , type, length, precision, scale]: readonly (Cell | null)[]): string => {
  const name = type === 'TEXT' ? 'VARCHAR' : String(type);
  if (name === 'VARCHAR' && typeof length === 'string') return `${name}(${length})`;
  return name === 'NUMBER' ? `${name}(${precision ?? '38'},${scale ?? '0'})` : name;
};

const byTable = (found: readonly (readonly (Cell | null)[])[]): readonly ReadableTable[] => {
  const tables = new Map<string, StatementColumn[]>();
  for (const row of found) {
    const [table, column] = row.map(String);
    const columns = tables.get(table ?? '') ?? [];
    columns.push({ name: column ?? '', type: typeOf(row) });
    tables.set(table ?? '', columns);
  }
  return Array.from(tables, ([name, columns]) => ({ name, columns }));
};

/** The tables and views of a schema that the role of the session sees, with their columns. */
export const readableTables = async (
  session: SnowflakeSession,
  place: Place,
): Promise<ReadableTables> => {
  const rows = await session.rows(statement(place), [place.schema]);
  const isCut = rows.length > MAX_COLUMNS;
  const tables = byTable(rows);
  // The last table may have other columns.
  return { tables: isCut ? tables.slice(0, -1) : tables, isCut };
};
