import type { RecordValue, Schema, Type, Value } from '@penstock/schema';
import { columnType } from './column-type';

/** A column with a value of a type, found at a path of a record. */
export interface ValueColumn {
  readonly name: string;
  readonly path: readonly string[];
  readonly type: Type;
}

/** The column of a leaf of the profile schema: its name is the names on the way to the leaf, joined by `_`. */
export interface ProfileColumn extends ValueColumn {
  /** In the words of PostgreSQL's `format_type`. */
  readonly sqlType: string;
}

const columnsAt = (schema: Schema, at: readonly string[]): ProfileColumn[] =>
  schema.properties.flatMap(({ name, type }): ProfileColumn[] => {
    const path = [...at, name];
    if (type.kind === 'object') return columnsAt(type, path);
    return [{ name: path.join('_'), path, type, sqlType: columnType(type) }];
  });

/** The columns of a profile schema, in its order. Only objects are flattened. */
export const profileColumns = (schema: Schema): readonly ProfileColumn[] => columnsAt(schema, []);

/** What a record has at the path of a column; undefined when it, or an object on the way, is not there. */
export const valueAt = (record: RecordValue, path: readonly string[]): Value | undefined => {
  let value: Value | undefined = record;
  for (const name of path) {
    if (value === undefined || value === null) return undefined;
    value = (value as RecordValue)[name];
  }
  return value;
};
