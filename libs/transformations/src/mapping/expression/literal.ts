import type { Type, Value } from '@penstock/schema';
import { ExpressionFault } from '../syntax/expression-fault';
import type { Expression, Sink } from './expression';
import { Fault, Mismatch } from './fault';
import { takeOf } from './typed-expression';

const constantOf = <T>(at: number, sink: Sink<T>, type: Type, value: NonNullable<Value>): T => {
  const take = takeOf(sink, type, at);
  try {
    const constant = take(value);
    if (constant !== null) return constant;
  } catch (error) {
    if (!(error instanceof Fault || error instanceof Mismatch)) throw error;
  }
  throw new ExpressionFault(`this literal does not convert to ${sink.expects}`, at);
};

/**
 * A literal: it is converted at compile time, and a failure is reported then. A string that would count as null is
 * refused: `null` is clearer.
 */
export const literal = (at: number, type: Type | null, value: Value): Expression => ({
  at,
  types: type ? [type] : [],
  literal: value,
  isPath: false,
  into: (sink) => {
    const { nothing } = sink;
    const constant = type && value !== null ? constantOf(at, sink, type, value) : nothing;
    return () => constant;
  },
});
