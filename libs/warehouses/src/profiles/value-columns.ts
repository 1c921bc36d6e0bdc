import type { RecordValue, Schema, Type, Value } from '@penstock/schema';

/** A column with a value of a type, found at a path of a record. */
export interface ValueColumn {
  readonly name: string;
  readonly path: readonly string[];
  readonly type: Type;
}

const columnsAt = (schema: Schema, at: readonly string[]): ValueColumn[] =>
  schema.properties.flatMap(({ name, type }): ValueColumn[] => {
    const path = [...at, name];
    return type.kind === 'object' ? columnsAt(type, path) : [{ name: path.join('_'), path, type }];
  });

/**
 * A column for each leaf of a schema, in its order: its name is the names on the way to the leaf, joined by `_`. Only objects are
 * flattened.
 */
export const leafColumns = (schema: Schema): readonly ValueColumn[] => columnsAt(schema, []);

/** What a record has at the path of a column; undefined when it, or an object on the way, is not there. */
export const valueAt = (record: RecordValue, path: readonly string[]): Value | undefined => {
  let value: Value | undefined = record;
  for (const name of path) {
    if (value === undefined || value === null) return undefined;
    value = (value as RecordValue)[name];
  }
  return value;
};
