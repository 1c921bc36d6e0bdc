import type { Json, Type, Value } from '@penstock/schema';
import { ExpressionFault } from '../syntax/expression-fault';
import { JSON_VALUE } from '../types/plain-types';
import type { Evaluate, Expression, Sink, Take } from './expression';

/** How a place takes values of a type. @throws ExpressionFault when it refuses them. */
export const takeOf = <T>(sink: Sink<T>, type: Type, at: number): Take<T> => {
  const take = sink.from(type);
  if (take) return take;
  throw new ExpressionFault(`${sink.expects} is expected here, but this is ${type.kind}`, at);
};

/** An expression that gives values of one type, null or nothing. */
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

/** An expression that gives parsed JSON: undefined is null, null is JSON null. */
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
