import { categoryOf, COMPARAND } from '../compare/comparand';
import { areComparable, compare } from '../compare/compare';
import type { Expression } from '../expression/expression';
import { typed } from '../expression/typed-expression';
import { ExpressionFault } from '../syntax/expression-fault';
import { BOOLEAN } from '../types/plain-types';
import type { FunctionRow } from './function-row';

const categories = ({ types }: Expression) => new Set(types.map(categoryOf));

/** Checks that every branch of one side is comparable with every branch of the other. */
const checkComparable = (at: number, left: Expression, right: Expression): void => {
  const others = categories(right);
  for (const a of categories(left))
    for (const b of others)
      if (!areComparable(a, b)) throw new ExpressionFault(`${a} cannot be compared with ${b}`, at);
};

const equality = (whenEqual: boolean): FunctionRow => ({
  arity: [2, 2],
  compile: (at, left, right) => {
    checkComparable(at, left, right);
    const leftOf = left.into(COMPARAND);
    const rightOf = right.into(COMPARAND);
    return typed(at, BOOLEAN, (record) => {
      const a = leftOf(record);
      const b = rightOf(record);
      if (a === null || b === null) return null;
      const isEqual = compare(a, b);
      return isEqual === null ? null : isEqual === whenEqual;
    });
  },
});

/** Compares by value; null when an operand is null. */
export const EQ = equality(true);
export const NE = equality(false);
