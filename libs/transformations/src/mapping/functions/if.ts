import type { Expression } from '../expression/expression';
import type { FunctionRow } from './function-row';
import { CONDITION } from './logic';

/** Evaluates only the chosen branch; a null condition chooses the second. A missing second branch is null. */
export const IF: FunctionRow = {
  arity: [2, 3],
  compile: (at, test, whenTrue, otherwise?: Expression) => ({
    at,
    types: [...whenTrue.types, ...(otherwise?.types ?? [])],
    isPath: false,
    into: (sink) => {
      const condition = test.into(CONDITION);
      const first = whenTrue.into(sink);
      const second = otherwise?.into(sink) ?? (() => sink.nothing);
      return (record) => (condition(record) === true ? first(record) : second(record));
    },
  }),
};
