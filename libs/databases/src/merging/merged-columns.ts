import { checkValue, type RecordValue, type Type, type Value } from '@penstock/schema';
import { propertyNameOf } from '@penstock/files';
import { DatabaseFault } from '../database/database-fault';
import type { SourceColumn } from '../database/source-column';
import type { RowMerge } from '../database/row-merger';

/** A column that is written. */
export interface MergedColumn {
  readonly property: string;
  /** Its name in the table. */
  readonly name: string;
  readonly type: Type;
  readonly nullable: boolean;
  /** Digits of the fractions of seconds that it keeps; absent: it has no times. */
  readonly fractionDigits?: number;
}

/** The columns of a merge. */
export interface MergedColumns {
  readonly key: MergedColumn;
  /** The key among them. */
  readonly columns: readonly MergedColumn[];
}

const invalid = (message: string): DatabaseFault => new DatabaseFault('InvalidSettings', message);

/**
 * Finds the columns of a merge among those of a table.
 *
 * @throws DatabaseFault InvalidSettings for a property that no column becomes, or one of a type without counterpart.
 */
export const mergedColumns = (
  { key, properties }: Pick<RowMerge, 'key' | 'properties'>,
  table: readonly SourceColumn<never>[],
): MergedColumns => {
  const byProperty = new Map<string, MergedColumn>();
  // From the end, since the first column wins.
  for (const { name, nullable, counterpart } of table.toReversed())
    if (!('unsupported' in counterpart)) {
      const property = propertyNameOf(name);
      const { type, fractionDigits } = counterpart;
      byProperty.set(property, {
        ...{ property, name, type, nullable },
        ...(fractionDigits !== undefined && { fractionDigits }),
      });
    }
  const columns = properties.map((property) => {
    const column = byProperty.get(property);
    if (column === undefined) throw invalid(`the table has no column for the property ${property}`);
    return column;
  });
  const keyColumn = columns.find(({ property }) => property === key);
  if (keyColumn === undefined) throw invalid(`the key ${key} is not among the properties`);
  return { key: keyColumn, columns };
};

const problemOf = ({ type, nullable }: MergedColumn, value: Value): string | undefined => {
  if (value === null) return nullable ? undefined : 'must not be null';
  return checkValue(type, value)?.[0]?.message;
};

/** What a row has against the types of its columns; undefined: nothing. Repeats no value. */
export const problemOfRow = (
  { key, columns }: MergedColumns,
  row: RecordValue,
): string | undefined => {
  const id = row[key.property];
  if (id === undefined || id === null) return `the key ${key.property} is missing`;
  for (const column of columns) {
    const value = row[column.property];
    const problem = value === undefined ? undefined : problemOf(column, value);
    if (problem !== undefined) return `${column.property} ${problem}`;
  }
  return undefined;
};
