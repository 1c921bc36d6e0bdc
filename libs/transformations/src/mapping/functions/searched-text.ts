import type { Evaluate, Expression } from '../expression/expression';
import { Fault } from '../expression/fault';
import { TEXT } from '../expression/sinks';
import { ExpressionFault } from '../syntax/expression-fault';

const IS_EMPTY = 'the text to look for is empty';

/** Compiles an argument that is searched for in a text. @throws ExpressionFault when it is always empty. */
export const searchedText = (argument: Expression): Evaluate<string | null> => {
  if (argument.literal === '') throw new ExpressionFault(IS_EMPTY, argument.at);
  return argument.into(TEXT);
};

/** Splits a text at the occurrences. @throws Fault when `searched` is empty. */
export const between = (text: string, searched: string): string[] => {
  if (searched === '') throw new Fault(IS_EMPTY);
  return text.split(searched);
};
