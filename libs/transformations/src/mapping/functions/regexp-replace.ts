import type { Pattern } from '@penstock/schema';
import { STRING } from '../plain-types';
import { TEXT } from '../sinks';
import { ExpressionFault } from '../syntax/expression-fault';
import { limited, MAX_TEXT_BYTES } from '../text-limit';
import { typed } from '../typed-expression';
import type { FunctionRow } from './function-row';
import { regularExpression } from './regular-expression';
import { type Replacement, replacement } from './replacement';
import { stringLiteral } from './string-literal';

/** Stops as soon as the result is too long, which then fails. */
const replaceAll = (text: string, pattern: Pattern, replace: Replacement): string => {
  let result = '';
  let done = 0;
  for (const match of pattern.findAll(text)) {
    result += text.slice(done, match.start) + replace(match);
    done = match.end;
    if (result.length > MAX_TEXT_BYTES) break;
  }
  return limited(result + text.slice(done));
};

/** Every match of a pattern, left to right. */
export const REGEXP_REPLACE: FunctionRow = {
  arity: [3, 3],
  compile: (at, argument, pattern, template) => {
    const textOf = argument.into(TEXT);
    const expression = regularExpression(pattern);
    const replace = replacement(stringLiteral(template, 'a replacement'), expression);
    if (typeof replace === 'string') throw new ExpressionFault(replace, template.at);
    return typed(at, STRING, (record) => {
      const text = textOf(record);
      return text === null ? null : replaceAll(text, expression, replace);
    });
  },
};
