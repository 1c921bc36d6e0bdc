import { isJsonObject, type Json, type Type } from '@penstock/schema';
import { checkMembers } from './check-members';
import type { Condition } from './filter';
import { rowOf, type Operator } from './operators';
import { readOperands } from './read-operands';
import { checkFit, readOperator } from './read-operator';
import { readTarget } from './read-target';
import type { Scope } from './scope';

const DATETIME: Type = { kind: 'datetime' };

/** What the operands of a condition are read as: elements of an array, moments inside JSON, else as the property. */
export const operandType = (operator: Operator, type: Type): Type => {
  if (type.kind === 'array') return type.elementType;
  return type.kind === 'json' && rowOf(operator).jsonMoments ? DATETIME : type;
};

const MEMBERS = ['property', 'operator', 'values'];

/**
 * Reads a condition, and reports all that is wrong with it in a fixed order: members, path, json,
 * operator, fit, number of operands, each operand.
 *
 * @returns undefined when it cannot be used; then something was reported.
 */
export const parseCondition = (json: Json, scope: Scope): Condition | undefined => {
  if (!isJsonObject(json)) {
    scope.report('', 'must be an object with property, operator and values');
    return undefined;
  }
  checkMembers(json, MEMBERS, scope.report);
  const target = readTarget(json.get('property'), scope);
  const operator = readOperator(json.get('operator'), scope);
  const isFit = target !== undefined && operator !== undefined && checkFit(operator, target, scope);
  const type = isFit ? operandType(operator, target.property.type) : undefined;
  const arity = operator === undefined ? undefined : rowOf(operator).arity;
  const values = readOperands(json.get('values'), arity, type, scope);
  if (!isFit) return undefined;
  const { steps, inside } = target;
  return { property: [...steps, ...inside].join('.'), path: steps.join('.'), operator, values };
};
