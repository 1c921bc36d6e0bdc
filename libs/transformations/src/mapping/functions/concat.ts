import { joined } from '../concatenation';
import { STRING } from '../plain-types';
import { typed } from '../typed-expression';
import type { FunctionRow } from './function-row';

/** Null gives nothing, and the result is never null. */
export const CONCAT: FunctionRow = {
  arity: [1, Infinity],
  compile: (at, ...given) => typed(at, STRING, joined(given)),
};
