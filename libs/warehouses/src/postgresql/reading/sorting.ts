import { escapeIdentifier } from 'pg';
import { ORDERED_CHARACTERS } from '../../platform/profile-reads';
import type { ValueColumn } from '../columns/profile-columns';
import type { Sorting } from './places';

/** A column with values of a type, in the words of PostgreSQL. */
export type SortedColumn = ValueColumn & { readonly sqlType: string };

/** The order by the column at a path: texts by the first of their code points. @throws RangeError where there is none */
export const byColumn = (
  path: string,
  columns: readonly SortedColumn[],
): Pick<Sorting, 'expression' | 'sqlType'> => {
  const column = columns.find((each) => each.path.join('.') === path);
  if (column === undefined) throw new RangeError(`no column for "${path}"`);
  const { type, sqlType } = column;
  const name = escapeIdentifier(column.name);
  if (type.kind !== 'string') return { expression: name, sqlType };
  // Bytes of UTF-8 have the order of code points.
  const expression = `(left(${name}, ${String(ORDERED_CHARACTERS)}) COLLATE "C")`;
  return { expression, sqlType: 'text' };
};
