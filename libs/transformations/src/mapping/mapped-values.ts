import {
  type Json,
  type JsonObject,
  type JsonText,
  type RecordValue,
  type Schema,
} from '@penstock/schema';
import { destination } from './expression/destination';
import { Fault, Mismatch } from './expression/fault';
import { meaningOf } from './rule';
import { ExpressionFault } from './syntax/expression-fault';
import { JSON_VALUE } from './types/plain-types';

const valueOf = (expression: string, input: Schema, record: RecordValue): Json | undefined => {
  try {
    const evaluate = meaningOf(expression, input, new Set()).into(destination(JSON_VALUE));
    return (evaluate(record) as JsonText | null)?.value;
  } catch (error) {
    const isWithoutValue =
      error instanceof ExpressionFault || error instanceof Fault || error instanceof Mismatch;
    if (isWithoutValue) return undefined;
    throw error;
  }
};

/**
 * Evaluates the expressions of a mapping without converting to the output schema, to explain a failure. Values that are
 * null, or that JSON cannot represent, are left out.
 *
 * @returns the values by the keys of the mapping.
 */
export const mappedValues = (
  mapping: ReadonlyMap<string, string>,
  input: Schema,
  record: RecordValue,
): JsonObject => {
  const values = new Map<string, Json>();
  for (const [key, expression] of mapping) {
    const value = valueOf(expression, input, record);
    if (value !== undefined) values.set(key, value);
  }
  return values;
};
