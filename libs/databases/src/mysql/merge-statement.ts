import type { RecordValue } from '@penstock/schema';
import { escapeId } from 'mysql2';
import type { MergedColumn } from '../merging/merged-columns';
import type { PlacedRow, RowGroup } from '../merging/merge-batch';
import type { MergeTable } from './merge-table';
import { mysqlLiteral } from './mysql-literal';

const literal = ({ type, property }: MergedColumn, values: RecordValue): string =>
  mysqlLiteral(type, values[property] ?? null);

const assigned = (columns: readonly MergedColumn[], valueOf: (column: MergedColumn) => string) =>
  columns.map((column) => `${escapeId(column.name, true)} = ${valueOf(column)}`).join(', ');

/** The columns of a group that an update changes. */
const changedColumns = ({ key }: MergeTable, columns: readonly MergedColumn[]) =>
  columns.filter(({ name }) => name !== key.name);

const tuple = (columns: readonly MergedColumn[], values: RecordValue): string =>
  `(${columns.map((column) => literal(column, values)).join(', ')})`;

/**
 * The weights of keys by the collation of their column, which the literals of a union have from it. Where trailing spaces do
 * not matter, a key with one more is the same.
 */
export const weightsStatement = ({ place, key }: MergeTable, keys: readonly string[]): string => {
  const name = escapeId(key.name, true);
  const given = keys.map((each, n) => `SELECT ${String(n)}, ${mysqlLiteral(key.type, each)}`);
  const trimmed = "IF(k = CONCAT(k, ' '), TRIM(TRAILING ' ' FROM k), k)";
  return `SELECT HEX(WEIGHT_STRING(${trimmed})) FROM (SELECT 0 AS n, ${name} AS k FROM ${place} WHERE FALSE
    UNION ALL ${given.join(' UNION ALL ')}) AS given ORDER BY n`;
};

/** Inserts a row. */
export const insertStatement = (
  { place }: MergeTable,
  columns: readonly MergedColumn[],
  values: RecordValue,
): string => {
  const names = columns.map(({ name }) => escapeId(name, true));
  return `INSERT INTO ${place} (${names.join(', ')}) VALUES ${tuple(columns, values)}`;
};

/** Changes the rows with the key of a row; without anything to change it only finds them. */
export const updateStatement = (
  table: MergeTable,
  columns: readonly MergedColumn[],
  values: RecordValue,
): string => {
  const changed = changedColumns(table, columns);
  const where = `WHERE ${escapeId(table.key.name, true)} = ${literal(table.key, values)}`;
  return changed.length === 0
    ? `SELECT 1 FROM ${table.place} ${where} LIMIT 1`
    : `UPDATE ${table.place} SET ${assigned(changed, (column) => literal(column, values))} ${where}`;
};

/**
 * Statements that insert the rows of a group, or update those with their keys, each as large as a statement may be.
 *
 * @throws RangeError for a row that MySQL cannot hold.
 */
export function* upsertStatements(
  table: MergeTable,
  { columns, rows }: Pick<RowGroup, 'columns'> & { readonly rows: readonly PlacedRow[] },
): Generator<string> {
  const names = columns.map(({ name }) => escapeId(name, true)).join(', ');
  const changed = changedColumns(table, columns);
  // Without anything to change, the row stays as it is.
  const update = assigned(changed.length === 0 ? [table.key] : changed, ({ name }) =>
    changed.length === 0 ? escapeId(name, true) : `VALUES(${escapeId(name, true)})`,
  );
  const before = `INSERT INTO ${table.place} (${names}) VALUES `;
  const behind = ` ON DUPLICATE KEY UPDATE ${update}`;
  let tuples: string[] = [];
  let bytes = before.length + behind.length;
  for (const { values } of rows) {
    const text = tuple(columns, values);
    if (tuples.length > 0 && bytes + text.length > table.maxBytes) {
      yield before + tuples.join(', ') + behind;
      tuples = [];
      bytes = before.length + behind.length;
    }
    tuples.push(text);
    bytes += text.length + 2;
  }
  yield before + tuples.join(', ') + behind;
}
