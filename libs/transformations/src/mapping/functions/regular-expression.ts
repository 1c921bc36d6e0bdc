import { compilePattern, type Pattern, PatternSyntaxError } from '@penstock/schema';
import type { Expression } from '../expression/expression';
import { ExpressionFault } from '../syntax/expression-fault';
import { stringLiteral } from './string-literal';

/** Compiles the pattern in a literal argument. @throws ExpressionFault when it is not RE2 syntax */
export const regularExpression = (argument: Expression): Pattern => {
  const text = stringLiteral(argument, 'a pattern');
  try {
    return compilePattern(text);
  } catch (error) {
    if (!(error instanceof PatternSyntaxError)) throw error;
    throw new ExpressionFault(`the pattern is not RE2 syntax: ${error.message}`, argument.at);
  }
};
