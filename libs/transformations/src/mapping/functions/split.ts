import { TEXT } from '../expression/sinks';
import { typed } from '../expression/typed-expression';
import { STRINGS } from '../types/plain-types';
import type { FunctionRow } from './function-row';
import { between, searchedText } from './searched-text';

export const SPLIT: FunctionRow = {
  arity: [2, 2],
  compile: (at, argument, separator) => {
    const textOf = argument.into(TEXT);
    const separatorOf = searchedText(separator);
    return typed(at, STRINGS, (record) => {
      const text = textOf(record);
      const by = separatorOf(record);
      return text === null || by === null ? null : between(text, by);
    });
  },
};
