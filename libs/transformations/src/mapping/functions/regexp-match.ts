import { TEXT } from '../expression/sinks';
import { typed } from '../expression/typed-expression';
import { BOOLEAN } from '../types/plain-types';
import type { FunctionRow } from './function-row';
import { regularExpression } from './regular-expression';
import { withinSearchTime } from './search-time';

/** Whether a pattern matches anywhere in the text. */
export const REGEXP_MATCH: FunctionRow = {
  arity: [2, 2],
  compile: (at, argument, pattern) => {
    const textOf = argument.into(TEXT);
    const expression = regularExpression(pattern);
    return typed(at, BOOLEAN, (record) => {
      const text = textOf(record);
      return text === null ? null : withinSearchTime(text, () => expression.test(text));
    });
  },
};
