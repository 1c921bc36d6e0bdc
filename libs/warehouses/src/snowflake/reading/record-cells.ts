import { snowflakeName } from '@penstock/databases';
import { newRecord, type RecordValue, type Type } from '@penstock/schema';
import type { ValueColumn } from '../../profiles/value-columns';
import { storedType, valuesAt } from '../../reading/stored-values';
import { cellReader } from '../columns/read-cell';
import { fitting, type Row } from './rows';

/** Bytes of a value whose kind says how many it has at most. */
const FIXED_BYTES = 40;

const nameOf = (index: number): string => `V${String(index)}`;

/** SQL of the values of columns, by names. */
export const valuesShown = (columns: readonly ValueColumn[]): Readonly<Record<string, string>> =>
  Object.fromEntries(columns.map(({ name }, index) => [nameOf(index), snowflakeName(name)]));

const measured = (type: Type, column: string): string | undefined => {
  if (type.kind === 'string') return column;
  return ['json', 'map', 'array'].includes(type.kind) ? `TO_JSON(${column})` : undefined;
};

/** SQL of the bytes that the values of columns have. */
export const valuesBytes = (columns: readonly ValueColumn[]): string => {
  const texts = columns.flatMap(({ name, type }) => measured(type, snowflakeName(name)) ?? []);
  const fixed = String((columns.length - texts.length) * FIXED_BYTES);
  return [fixed, ...texts.map((text) => `COALESCE(OCTET_LENGTH(${text}), 0)`)].join(' + ');
};

/**
 * Makes what reads the records that {@link valuesShown} gives the values of. An object is there when any of its members is.
 *
 * @param table in which the values are.
 * @returns throws WarehouseFault `unusable`, naming the path of a value that does not fit its type.
 */
export const recordReader = (
  table: string,
  columns: readonly ValueColumn[],
): ((row: Row) => RecordValue) => {
  const readings = columns.map(({ path, type }, index) => ({
    cellName: nameOf(index),
    path: path.join('.'),
    parents: path.slice(0, -1),
    name: path.at(-1) ?? '',
    read: cellReader(storedType(type)),
  }));
  return (row) => {
    const record = newRecord();
    for (const { cellName, path, parents, name, read } of readings) {
      const cell = row[cellName] ?? null;
      if (cell !== null) valuesAt(record, parents)[name] = fitting(table, path, () => read(cell));
    }
    return record;
  };
};
