import { TEXT } from '../expression/sinks';
import { limited, MAX_TEXT_BYTES } from '../expression/text-limit';
import { typed } from '../expression/typed-expression';
import { STRING } from '../types/plain-types';
import type { FunctionRow } from './function-row';
import { between, searchedText } from './searched-text';

/** Joins pieces, but stops when the result exceeds the limit of a text. */
const join = (pieces: readonly string[], separator: string): string => {
  let result = pieces[0] ?? '';
  for (let index = 1; index < pieces.length && result.length <= MAX_TEXT_BYTES; index++)
    result += separator + (pieces[index] ?? '');
  return limited(result);
};

/** Replaces every occurrence, left to right, not overlapping, case-sensitive. */
export const REPLACE: FunctionRow = {
  arity: [3, 3],
  compile: (at, argument, searched, replacement) => {
    const textOf = argument.into(TEXT);
    const searchedOf = searchedText(searched);
    const replacementOf = replacement.into(TEXT);
    return typed(at, STRING, (record) => {
      const text = textOf(record);
      const from = searchedOf(record);
      const to = replacementOf(record);
      if (text === null || from === null || to === null) return null;
      return join(between(text, from), to);
    });
  },
};
