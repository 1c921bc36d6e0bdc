import type { Evaluate } from '../expression/expression';
import { converted } from '../expression/sinks';
import { typed } from '../expression/typed-expression';
import { BOOLEAN } from '../types/plain-types';
import type { FunctionRow } from './function-row';

export const CONDITION = converted<boolean>(BOOLEAN);

/** Three-valued logic: the first deciding argument, else null if there was one, else the opposite value. */
const decided =
  (deciding: boolean, conditions: readonly Evaluate<boolean | null>[]): Evaluate<boolean | null> =>
  (record) => {
    let hasNull = false;
    for (const condition of conditions) {
      const value = condition(record);
      if (value === deciding) return deciding;
      hasNull ||= value === null;
    }
    return hasNull ? null : !deciding;
  };

const junction = (deciding: boolean): FunctionRow => ({
  arity: [2, Infinity],
  compile: (at, ...given) => {
    const conditions = given.map((argument) => argument.into(CONDITION));
    return typed(at, BOOLEAN, decided(deciding, conditions));
  },
});

export const AND = junction(false);
export const OR = junction(true);

export const NOT: FunctionRow = {
  arity: [1, 1],
  compile: (at, argument) => {
    const condition = argument.into(CONDITION);
    return typed(at, BOOLEAN, (record) => {
      const value = condition(record);
      return value === null ? null : !value;
    });
  },
};
