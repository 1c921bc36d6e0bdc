import type { Expression } from '../expression/expression';
import { Fault } from '../expression/fault';
import { converted, TEXT } from '../expression/sinks';
import { typed } from '../expression/typed-expression';
import { INT32, STRING } from '../types/plain-types';
import type { FunctionRow } from './function-row';

const INTEGER = converted<number>(INT32);

const SURROGATE = /[\ud800-\udfff]/;

/** Returns the UTF-16 index `count` code points after the index `from`, or the end. */
const advance = (text: string, from: number, count: number): number => {
  let at = from;
  for (let left = count; left > 0 && at < text.length; left--)
    at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return at;
};

/** @param skipped number of code points before the slice. */
const slice = (text: string, skipped: number, length: number): string => {
  if (!SURROGATE.test(text)) return text.slice(skipped, skipped + length);
  const start = advance(text, 0, skipped);
  return text.slice(start, advance(text, start, length));
};

/** Positions are 1-based and in code points; a start below 1 counts as 1, and the part beyond the end is empty. */
export const SUBSTRING: FunctionRow = {
  arity: [2, 3],
  compile: (at, argument, start, length?: Expression) => {
    const textOf = argument.into(TEXT);
    const startOf = start.into(INTEGER);
    const lengthOf = length?.into(INTEGER) ?? (() => Infinity);
    return typed(at, STRING, (record) => {
      const text = textOf(record);
      const first = startOf(record);
      const count = lengthOf(record);
      if (text === null || first === null || count === null) return null;
      if (count < 0) throw new Fault('the length is negative', String(count));
      return slice(text, Math.max(first, 1) - 1, count);
    });
  },
};
