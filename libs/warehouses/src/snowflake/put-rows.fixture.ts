import { type Type, type Value } from '@penstock/schema';
import type { ValueColumn } from '../profiles/value-columns';
import { valueAt } from '../profiles/value-columns';
import type { RecordValue } from '@penstock/schema';
import { columnType } from './columns/column-type';
import { stagedSql, stagedText } from './columns/staged-text';
import { list } from './sql/names';
import type { SnowflakeStand } from './stand.fixture';

/** A value of a column. */
export interface PutCell {
  readonly sqlType: string;
  readonly text: string;
}

/** A value of a type, for a column of its own type unless another one is said. */
export const cellOf = (type: Type, value: Value, sqlType = columnType(type)): PutCell => ({
  ...{ sqlType, text: stagedText(type, value) },
});

export const textCell = (text: string): PutCell => ({ sqlType: 'VARCHAR', text });

export const numberCell = (number: number): PutCell => ({
  ...{ sqlType: 'NUMBER(38,0)', text: String(number) },
});

export const momentCell = (text: string): PutCell =>
  cellOf({ kind: 'datetime' }, text, 'TIMESTAMP_TZ(9)');

export const jsonCell = (json: unknown, sqlType: 'ARRAY' | 'VARIANT' = 'VARIANT'): PutCell => ({
  ...{ sqlType, text: JSON.stringify(json) },
});

/** A row, by the names of its columns: those that it has a value for. */
export type PutRow = Readonly<Record<string, PutCell>>;

/** The values that a record has, by the columns of them. */
export const recordCells = (
  record: RecordValue,
  columns: readonly (ValueColumn & { readonly sqlType: string })[],
): PutRow =>
  Object.fromEntries(
    columns.flatMap(({ name, path, type, sqlType }) => {
      const value = valueAt(record, path) ?? null;
      return value === null ? [] : [[name, cellOf(type, value, sqlType)]];
    }),
  );

/** Rows of one statement. */
const AT_A_TIME = 12;

/** Puts rows into a table. @param table as SQL */
export const putRows = async (
  stand: SnowflakeStand,
  table: string,
  rows: readonly PutRow[],
): Promise<void> => {
  for (let from = 0; from < rows.length; from += AT_A_TIME) {
    const some = rows.slice(from, from + AT_A_TIME);
    const names = [...new Set(some.flatMap((row) => Object.keys(row)))];
    const selects = some.map((row) => {
      const values = names.map((name) => {
        const cell = row[name];
        return cell === undefined ? 'NULL' : stagedSql(cell.sqlType, '?');
      });
      return `SELECT ${values.join(', ')}`;
    });
    const binds = some.flatMap((row) => names.flatMap((name) => row[name]?.text ?? []));
    await stand.rows(`INSERT INTO ${table} (${list(names)}) ${selects.join(' UNION ALL ')}`, binds);
  }
};
