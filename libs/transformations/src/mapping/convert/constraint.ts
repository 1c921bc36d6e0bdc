import { checkValue, type ArrayType, type Type, type Value } from '@penstock/schema';

export type Constraint = (value: NonNullable<Value>) => boolean;

/** Elements that may be unique are scalars in canonical form: equality in memory is equality of values. */
const ofArray = ({ minElements, maxElements, uniqueElements }: ArrayType): Constraint => {
  const hasLength: Constraint = (value) => {
    const { length } = value as readonly Value[];
    return length >= minElements && length <= maxElements;
  };
  if (!uniqueElements) return hasLength;
  return (value) => {
    const elements = value as readonly Value[];
    return hasLength(value) && new Set(elements).size === elements.length;
  };
};

const isConstrained = (type: Type): boolean => {
  switch (type.kind) {
    case 'string':
      return [type.values, type.pattern, type.maxLength, type.maxByteLength].some(
        (constraint) => constraint !== undefined,
      );
    case 'float':
      return type.real || type.minimum !== undefined || type.maximum !== undefined;
    case 'decimal':
      return type.minimum !== undefined || type.maximum !== undefined;
    default:
      return false;
  }
};

/**
 * Returns the constraints of a type beyond the form of its values, which conversions ensure, and beyond those of its
 * elements and properties; undefined when there are none.
 */
export const constraintOf = (type: Type): Constraint | undefined => {
  if (type.kind === 'array') return ofArray(type);
  return isConstrained(type) ? (value) => checkValue(type, value) === undefined : undefined;
};
