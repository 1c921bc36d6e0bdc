import {
  newRecord,
  type Property,
  type RecordValue,
  type Schema,
  type Value,
} from '@penstock/schema';

/** The schema with the property at a path changed; without it when that gives none, nor objects of which nothing is left. */
const withProperty = (
  { kind, properties }: Schema,
  path: readonly string[],
  change: (property: Property) => Property | undefined,
): Schema => {
  const [name, ...rest] = path;
  return {
    kind,
    properties: properties.flatMap((property) => {
      if (property.name !== name) return [property];
      if (rest.length === 0) return change(property) ?? [];
      if (property.type.kind !== 'object') return [property];
      const type = withProperty(property.type, rest, change);
      return type.properties.length === 0 ? [] : [{ ...property, type }];
    }),
  };
};

/** A schema without the property at a path. */
export const schemaWithout = (schema: Schema, path: string): Schema =>
  withProperty(schema, path.split('.'), () => undefined);

/** The part of a schema that leads to the property at a path, which is there. */
export const schemaOnly = ({ kind, properties }: Schema, path: string): Schema => {
  const [name, ...rest] = path.split('.');
  return {
    kind,
    properties: properties
      .filter((property) => property.name === name)
      .map((property) =>
        rest.length === 0 || property.type.kind !== 'object'
          ? property
          : { ...property, type: schemaOnly(property.type, rest.join('.')) },
      ),
  };
};

/** The value at a path of a record; undefined when it is not there. */
export const valueAt = (record: RecordValue, path: string): Value | undefined => {
  const [name = '', ...rest] = path.split('.');
  const value = record[name];
  if (rest.length === 0 || value === undefined || value === null) return value;
  return valueAt(value as RecordValue, rest.join('.'));
};

/** A record with the value at a path. */
export const withValueAt = (record: RecordValue, path: string, value: Value): RecordValue => {
  const [name = '', ...rest] = path.split('.');
  const inner = record[name] ?? newRecord();
  return Object.assign(newRecord(), record, {
    [name]: rest.length === 0 ? value : withValueAt(inner as RecordValue, rest.join('.'), value),
  });
};
