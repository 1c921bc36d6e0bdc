import { columnOf } from './columns';
import type { FilterContext } from './filter';
import { OPERATOR_NAMES, rowOf, type Operator } from './operators';
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
export const fitting = (target: Target, context: FilterContext): string => {
  const names = OPERATOR_NAMES.filter((operator) => fits(operator, target, context));
  return names.length === 0 ? 'no operator' : names.map((name) => `"${name}"`).join(', ');
};
