import { TEXT } from '../expression/sinks';
import { limited } from '../expression/text-limit';
import { typed } from '../expression/typed-expression';
import { STRING } from '../types/plain-types';
import type { FunctionRow } from './function-row';

/** Defines a function from text to text; null stays null. */
export const textFunction = (change: (text: string) => string): FunctionRow => ({
  arity: [1, 1],
  compile: (at, argument) => {
    const textOf = argument.into(TEXT);
    return typed(at, STRING, (record) => {
      const text = textOf(record);
      return text === null ? null : limited(change(text));
    });
  },
});
