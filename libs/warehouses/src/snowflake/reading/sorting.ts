import { snowflakeName } from '@penstock/databases';
import { ORDERED_CHARACTERS } from '../../platform/profile-reads';
import type { ValueColumn } from '../../profiles/value-columns';
import { columnType } from '../columns/column-type';
import type { Compared } from './places';

/** A column with values of a type, in the words of Snowflake. */
export type SortedColumn = ValueColumn & { readonly sqlType: string };

/** The values of a column of the service's own. */
const own =
  (type: Compared['type'], sqlType = columnType(type)) =>
  (name: string): Compared => ({ expression: snowflakeName(name), type, sqlType });

export const byText = own({ kind: 'string' });
export const byUuid = own({ kind: 'uuid' });
export const byMoment = own({ kind: 'datetime' });
export const byNumber = own({ kind: 'decimal', precision: 38, scale: 0 });

/** The values of the column at a path. @throws RangeError where there is none */
export const wholeColumn = (path: string, columns: readonly SortedColumn[]): Compared => {
  const column = columns.find((each) => each.path.join('.') === path);
  if (column === undefined) throw new RangeError(`no column for "${path}"`);
  const { name, type, sqlType } = column;
  return { expression: snowflakeName(name), type, sqlType };
};

/** The same, of texts the first of their code points. @throws RangeError */
export const byColumn = (path: string, columns: readonly SortedColumn[]): Compared => {
  const whole = wholeColumn(path, columns);
  if (whole.type.kind !== 'string') return whole;
  const expression = `LEFT(${whole.expression}, ${String(ORDERED_CHARACTERS)})`;
  return { ...whole, type: { kind: 'string' }, expression };
};
