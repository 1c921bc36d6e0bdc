import type { Schema } from '@penstock/schema';
import { leafColumns, type ValueColumn } from '../../profiles/value-columns';
import { columnType } from './column-type';

/** The column of a leaf of the profile schema. */
export interface ProfileColumn extends ValueColumn {
  /** In the words of `DESCRIBE TABLE`. */
  readonly sqlType: string;
}

/** The columns of a profile schema, in its order, by names in capitals: no two of them differ by case alone. */
export const profileColumns = (schema: Schema): readonly ProfileColumn[] =>
  leafColumns(schema).map((column) => ({
    ...column,
    name: column.name.toUpperCase(),
    sqlType: columnType(column.type),
  }));
