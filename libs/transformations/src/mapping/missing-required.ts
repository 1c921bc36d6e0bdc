import type { ObjectType, RecordValue, Type, Value } from '@penstock/schema';
import { keyStep } from './key-step';
import { isRequired, type Purpose } from './purpose';

/** Returns the path of a missing required property, from the value on (`.x`, `[2].x`). */
export type FindMissing = (value: NonNullable<Value>) => string | undefined;

const inObject = (type: ObjectType, purpose: Purpose): FindMissing | undefined => {
  const required = type.properties.filter((property) => isRequired(property, purpose));
  const inner = type.properties.flatMap(({ name, type: inside }) => {
    const find = missingRequired(inside, purpose);
    return find ? [{ name, find }] : [];
  });
  if (required.length === 0 && inner.length === 0) return undefined;
  return (value) => {
    const record = value as RecordValue;
    for (const { name } of required) if (record[name] === undefined) return `.${name}`;
    for (const { name, find } of inner) {
      const member = record[name];
      const missing = member === undefined || member === null ? undefined : find(member);
      if (missing !== undefined) return `.${name}${missing}`;
    }
    return undefined;
  };
};

const inElements = (
  find: FindMissing | undefined,
  entries: (value: NonNullable<Value>) => Iterable<readonly [number | string, Value]>,
): FindMissing | undefined => {
  if (!find) return undefined;
  return (value) => {
    for (const [key, element] of entries(value)) {
      const missing = element === null ? undefined : find(element);
      if (missing !== undefined)
        return `${typeof key === 'number' ? `[${key}]` : keyStep(key)}${missing}`;
    }
    return undefined;
  };
};

/**
 * Searches every object of a value, at any depth, for a missing property that the purpose requires; undefined when the
 * type requires nothing.
 */
export const missingRequired = (type: Type, purpose: Purpose): FindMissing | undefined => {
  switch (type.kind) {
    case 'object':
      return inObject(type, purpose);
    case 'array':
      return inElements(missingRequired(type.elementType, purpose), (value) =>
        (value as readonly Value[]).entries(),
      );
    case 'map':
      return inElements(
        missingRequired(type.elementType, purpose),
        (value) => value as ReadonlyMap<string, Value>,
      );
    default:
      return undefined;
  }
};
