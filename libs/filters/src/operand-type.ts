import type { Type } from '@penstock/schema';
import { rowOf, type Operator } from './operators';

const DATETIME: Type = { kind: 'datetime' };

/** What the operands of a condition are read as: elements of an array, moments inside JSON, else as the property. */
export const operandType = (operator: Operator, type: Type): Type => {
  if (type.kind === 'array') return type.elementType;
  return type.kind === 'json' && rowOf(operator).jsonMoments ? DATETIME : type;
};
