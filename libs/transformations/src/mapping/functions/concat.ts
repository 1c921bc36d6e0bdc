import { joined } from '../expression/concatenation';
import { typed } from '../expression/typed-expression';
import { STRING } from '../types/plain-types';
import type { FunctionRow } from './function-row';

/** Concatenates texts; null adds nothing, and the result is never null. */
export const CONCAT: FunctionRow = {
  arity: [1, Infinity],
  compile: (at, ...given) => typed(at, STRING, joined(given)),
};
