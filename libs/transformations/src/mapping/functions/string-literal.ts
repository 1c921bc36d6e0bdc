import type { Expression } from '../expression/expression';
import { ExpressionFault } from '../syntax/expression-fault';

/** Returns the text of an argument that must be known at compile time. @throws ExpressionFault */
export const stringLiteral = ({ at, literal, types }: Expression, expects: string): string => {
  if (typeof literal === 'string' && types[0]?.kind === 'string') return literal;
  throw new ExpressionFault(`${expects} is a string in quotes`, at);
};
