import { converted } from '../expression/sinks';
import { typed } from '../expression/typed-expression';
import { ExpressionFault } from '../syntax/expression-fault';
import { DATETIME, STRING } from '../types/plain-types';
import { datePattern } from './date-pattern';
import type { FunctionRow } from './function-row';
import { stringLiteral } from './string-literal';

const MOMENT = converted<string>(DATETIME);

/** Formats a datetime in UTC with a pattern. */
export const DATE_FORMAT: FunctionRow = {
  arity: [2, 2],
  compile: (at, argument, pattern) => {
    const momentOf = argument.into(MOMENT);
    const format = datePattern(stringLiteral(pattern, 'a date pattern'));
    if (typeof format === 'string') throw new ExpressionFault(format, pattern.at);
    return typed(at, STRING, (record) => {
      const moment = momentOf(record);
      return moment === null ? null : format(moment);
    });
  },
};
