import { TEXT } from '../expression/sinks';
import { typed } from '../expression/typed-expression';
import { ExpressionFault } from '../syntax/expression-fault';
import { STRING } from '../types/plain-types';
import type { FunctionRow } from './function-row';
import { regularExpression } from './regular-expression';
import { replaceMatches } from './replace-matches';
import { replacement } from './replacement';
import { stringLiteral } from './string-literal';

/** Replaces every match of a pattern, left to right. */
export const REGEXP_REPLACE: FunctionRow = {
  arity: [3, 3],
  compile: (at, argument, pattern, template) => {
    const textOf = argument.into(TEXT);
    const expression = regularExpression(pattern);
    const replace = replacement(stringLiteral(template, 'a replacement'), expression);
    if (typeof replace === 'string') throw new ExpressionFault(replace, template.at);
    return typed(at, STRING, (record) => {
      const text = textOf(record);
      return text === null ? null : replaceMatches(text, expression, replace);
    });
  },
};
