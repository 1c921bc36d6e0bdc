import type { Json, Type, Value } from '@penstock/schema';
import { ExpressionFault } from '../syntax/expression-fault';
import { JSON_VALUE } from '../types/plain-types';
import type { Evaluate, Expression, Sink, Take } from './expression';

/** Returns the sink's conversion from a type. @throws ExpressionFault when the sink refuses it. */
export const takeOf = <T>(sink: Sink<T>, type: Type, at: number): Take<T> => {
  const take = sink.from(type);
  if (take) return take;
  throw new ExpressionFault(`${sink.expects} is expected here, but this is ${type.kind}`, at);
};

/** An expression whose results have one type, or are null or absent. */
export const typed = (
  at: number,
  type: Type,
  get: Evaluate<Value | undefined>,
  isPath = false,
): Expression => ({
  at,
  types: [type],
  isPath,
  into: (sink) => {
    const take = takeOf(sink, type, at);
    const { nothing } = sink;
    return (record) => {
      const value = get(record);
      return value === null || value === undefined ? nothing : take(value);
    };
  },
});

/** An expression with results of parsed JSON: undefined means null, null means JSON null. */
export const typedJson = (
  at: number,
  get: Evaluate<Json | undefined>,
  isPath = false,
): Expression => ({
  at,
  types: [JSON_VALUE],
  isPath,
  into: (sink) => {
    takeOf(sink, JSON_VALUE, at);
    const { nothing, fromJson } = sink;
    return (record) => {
      const json = get(record);
      return json === undefined ? nothing : fromJson(json);
    };
  },
});
