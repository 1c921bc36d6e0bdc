import type { RecordValue, Schema, Type, Value } from '@penstock/schema';

/** Finds a float that JSON has no number for. @returns the path of the property; undefined: there is none. */
type Finder = (value: Value) => string | undefined;

const inElements = (element: Finder | undefined): Finder | undefined => {
  if (element === undefined) return undefined;
  return (value) => {
    const elements = (value instanceof Map ? value.values() : value) as Iterable<Value>;
    for (const each of elements) {
      const found = element(each);
      if (found !== undefined) return found;
    }
    return undefined;
  };
};

const inMembers = ({ properties }: Schema): Finder | undefined => {
  const finders = properties.flatMap(({ name, type }) => {
    const finder = finderFor(type);
    return finder === undefined ? [] : [{ name, finder }];
  });
  if (finders.length === 0) return undefined;
  return (value) => {
    for (const { name, finder } of finders) {
      const member = (value as RecordValue)[name] ?? null;
      const found = member === null ? undefined : finder(member);
      if (found !== undefined) return found === '' ? name : `${name}.${found}`;
    }
    return undefined;
  };
};

const finderFor = (type: Type): Finder | undefined => {
  switch (type.kind) {
    case 'float':
      return type.real ? undefined : (value) => (Number.isFinite(value) ? undefined : '');
    case 'array':
    case 'map':
      return inElements(finderFor(type.elementType));
    case 'object':
      return inMembers(type);
    default:
      return undefined;
  }
};

/** Finds NaN and the infinities in records of a schema. */
export const specialFloatIn = (schema: Schema): ((record: RecordValue) => string | undefined) =>
  finderFor(schema) ?? (() => undefined);
