import { newRecord } from '@penstock/schema';
import { STRING } from '../types/plain-types';
import type { Evaluate, Expression } from './expression';
import { literal } from './literal';
import { TEXT } from './sinks';
import { limited, MAX_TEXT_BYTES } from './text-limit';
import { typed } from './typed-expression';

/**
 * Concatenates the texts of expressions; null adds nothing.
 *
 * @throws ExpressionFault for an array, object or map; during evaluation, Fault beyond the limit of a text.
 */
export const joined = (parts: readonly Expression[]): Evaluate<string> => {
  const texts = parts.map((part) => part.into(TEXT));
  return (record) => {
    let result = '';
    for (const text of texts) {
      result += text(record) ?? '';
      if (result.length > MAX_TEXT_BYTES) break;
    }
    return limited(result);
  };
};

/** A concatenation. One of literals only is a literal: it is converted at compile time. */
export const concatenation = (at: number, parts: readonly Expression[]): Expression => {
  const join = joined(parts);
  const isLiteral = parts.every((part) => part.literal !== undefined);
  return isLiteral ? literal(at, STRING, join(newRecord())) : typed(at, STRING, join);
};
