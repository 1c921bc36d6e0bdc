import { escapeIdentifier } from 'pg';
import { ORDERED_CHARACTERS } from '../../platform/profile-reads';
import type { ValueColumn } from '../../profiles/value-columns';
import type { Sorting } from './places';

/** A column with values of a type, in the words of PostgreSQL. */
export type SortedColumn = ValueColumn & { readonly sqlType: string };

const columnAt = (path: string, columns: readonly SortedColumn[]): SortedColumn => {
  const column = columns.find((each) => each.path.join('.') === path);
  if (column === undefined) throw new RangeError(`no column for "${path}"`);
  return column;
};

/** SQL of the values of the column at a path, texts by their code points. @throws RangeError where there is none */
export const wholeColumn = (path: string, columns: readonly SortedColumn[]): string => {
  const { type, name } = columnAt(path, columns);
  const value = escapeIdentifier(name);
  // Bytes of UTF-8 have the order of code points.
  return type.kind === 'string' ? `${value} COLLATE "C"` : value;
};

/** The order by the column at a path: texts by the first of their code points. @throws RangeError where there is none */
export const byColumn = (
  path: string,
  columns: readonly SortedColumn[],
): Pick<Sorting, 'expression' | 'sqlType'> => {
  const column = columnAt(path, columns);
  const { type, sqlType } = column;
  const name = escapeIdentifier(column.name);
  if (type.kind !== 'string') return { expression: name, sqlType };
  const expression = `(left(${name}, ${String(ORDERED_CHARACTERS)}) COLLATE "C")`;
  return { expression, sqlType: 'text' };
};
