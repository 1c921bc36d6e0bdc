import { nearestName, type Json } from '@penstock/schema';
import { columnOf } from './columns';
import type { FilterContext } from './filter';
import { isOperator, OPERATOR_NAMES, type Operator, rowOf } from './operators';
import type { Scope } from './scope';
import type { Target } from './target';

const has = ({ property, inside }: Target, need: 'nullable' | 'readOptional'): boolean => {
  if (property.type.kind !== 'json') return property[need];
  return need === 'nullable' || property.readOptional || inside.length > 0;
};

/** Whether an operator applies to a property in a context. */
export const fits = (operator: Operator, target: Target, context: FilterContext): boolean => {
  const { tests, needs } = rowOf(operator);
  const column = columnOf(target.property.type);
  if (tests[column] === undefined) return false;
  if (needs !== undefined) return has(target, needs);
  return column !== 'object' || context === 'SourceUser';
};

/** The operators that a property takes in a context, for an error message. */
const fitting = (target: Target, context: FilterContext): string => {
  const names = OPERATOR_NAMES.filter((operator) => fits(operator, target, context));
  return names.length === 0 ? 'no operator' : names.map((name) => `"${name}"`).join(', ');
};

const unknownOperator = (json: Json | undefined): string => {
  if (typeof json !== 'string') return 'must be a string, an operator';
  const near = nearestName(json, OPERATOR_NAMES);
  const hint = near === undefined ? OPERATOR_NAMES.join(', ') : `did you mean "${near}"?`;
  return `there is no such operator: ${hint}`;
};

const misfit = (operator: Operator, target: Target, { context }: Scope): string => {
  const { type, nullable, readOptional } = target.property;
  const flags = [
    nullable ? 'nullable' : 'not nullable',
    readOptional ? 'optional' : 'always there',
  ];
  const path = [...target.steps, ...target.inside].join('.');
  const takes = fitting(target, context);
  return `"${operator}" does not fit "${path}" (${type.kind}, ${flags.join(', ')}), which takes ${takes}`;
};

/** The `operator` of a condition; undefined, and reported, when there is none such. */
export const readOperator = (json: Json | undefined, { report }: Scope): Operator | undefined => {
  if (typeof json === 'string' && isOperator(json)) return json;
  report('/operator', unknownOperator(json));
  return undefined;
};

/** Whether the operator fits the property; reports that it does not. */
export const checkFit = (operator: Operator, target: Target, scope: Scope): boolean => {
  if (fits(operator, target, scope.context)) return true;
  scope.report('/operator', misfit(operator, target, scope));
  return false;
};
