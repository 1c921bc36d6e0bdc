import { isJsonArray, pointer, type Json, type Type } from '@penstock/schema';
import { parseOperand } from './parse-operand';
import type { Arity } from './row';
import type { Scope } from './scope';

const ARITIES: Readonly<Record<Arity, { accepts: (count: number) => boolean; text: string }>> = {
  none: { accepts: (count) => count === 0, text: 'no operand' },
  one: { accepts: (count) => count === 1, text: '1 operand' },
  two: { accepts: (count) => count === 2, text: '2 operands' },
  some: { accepts: (count) => count >= 1, text: '1 operand or more' },
};

const checkCount = (count: number, arity: Arity, { report }: Scope): void => {
  const { accepts, text } = ARITIES[arity];
  if (!accepts(count)) report('/values', `the operator takes ${text}, ${count} given`);
};

/**
 * The `values` of a condition as they are stored, as far as they are good; what is not is reported.
 *
 * @param arity undefined when the operator is not known.
 * @param type what each operand is read as, undefined when that is not known.
 */
export const readOperands = (
  json: Json | undefined,
  arity: Arity | undefined,
  type: Type | undefined,
  scope: Scope,
): readonly string[] => {
  const given = json ?? [];
  if (!isJsonArray(given)) {
    scope.report('/values', 'must be an array of strings');
    return [];
  }
  if (arity !== undefined) checkCount(given.length, arity, scope);
  if (arity === 'none') return [];
  return given.flatMap((item, index) => {
    const operand = parseOperand(item, type, scope.context);
    if ('text' in operand) return [operand.text];
    scope.report(pointer('values', index), operand.problem);
    return [];
  });
};
