import type { Schema } from '@penstock/schema';
import { leafColumns, type ValueColumn } from '../../profiles/value-columns';
import { columnType } from './column-type';

/** The column of a leaf of the profile schema. */
export interface ProfileColumn extends ValueColumn {
  /** In the words of PostgreSQL's `format_type`. */
  readonly sqlType: string;
}

/** The columns of a profile schema, in its order. */
export const profileColumns = (schema: Schema): readonly ProfileColumn[] =>
  leafColumns(schema).map((column) => ({ ...column, sqlType: columnType(column.type) }));
