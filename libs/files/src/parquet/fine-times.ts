import type { RecordValue, Schema, Type, Value } from '@penstock/schema';

/** Whether a value holds a time that microseconds do not hold. */
type Check = (value: Value) => boolean;

const isFine = (value: Value): boolean => /\.\d{7}/.test(value as string);

const someElement = (check: Check | undefined): Check | undefined =>
  check &&
  ((value) =>
    [...((value instanceof Map ? value.values() : value) as Iterable<Value>)].some(check));

const checksIn = ({ properties }: Schema) =>
  properties.flatMap(({ name, type }) => {
    const check = checkFor(type);
    return check === undefined ? [] : [{ name, check }];
  });

const nameIn = (checks: ReturnType<typeof checksIn>, record: RecordValue): string | undefined =>
  checks.find(({ name, check }) => {
    const value = record[name] ?? null;
    return value !== null && check(value);
  })?.name;

const checkFor = (type: Type): Check | undefined => {
  switch (type.kind) {
    case 'datetime':
    case 'time':
      return isFine;
    case 'array':
    case 'map':
      return someElement(checkFor(type.elementType));
    case 'object': {
      const checks = checksIn(type);
      if (checks.length === 0) return undefined;
      return (value) => nameIn(checks, value as RecordValue) !== undefined;
    }
    default:
      return undefined;
  }
};

/** Finds the property of a record that has a time with a fraction of microseconds. */
export const fineTimeIn = (schema: Schema): ((record: RecordValue) => string | undefined) => {
  const checks = checksIn(schema);
  return (record) => nameIn(checks, record);
};
