import { newRecord, type RecordValue, type Schema, type Type, type Value } from '@penstock/schema';

/** What the schema names of the record, at every depth. The record is of a schema that this one is a part of. */
export const selectProperties = (record: RecordValue, { properties }: Schema): RecordValue => {
  const selected = newRecord();
  for (const { name, type } of properties) {
    const value = record[name];
    if (value !== undefined) selected[name] = selectIn(value, type);
  }
  return selected;
};

const selectIn = (value: Value, type: Type): Value => {
  if (value === null) return null;
  switch (type.kind) {
    case 'object':
      return selectProperties(value as RecordValue, type);
    case 'array':
      return (value as readonly Value[]).map((each) => selectIn(each, type.elementType));
    case 'map':
      return new Map(
        Array.from(value as ReadonlyMap<string, Value>, ([key, each]) => [
          key,
          selectIn(each, type.elementType),
        ]),
      );
    default:
      return value;
  }
};
