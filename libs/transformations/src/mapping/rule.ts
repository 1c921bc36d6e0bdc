import type { Property, RecordValue, Schema, Value } from '@penstock/schema';
import { analyse } from './analyse';
import { OutputValidationError, TransformationError } from './errors';
import { destination } from './expression/destination';
import type { Evaluate, Expression } from './expression/expression';
import { Fault, Mismatch } from './expression/fault';
import { parseExpression } from './syntax/parse-expression';

/** A compiled key of a mapping. */
export interface Rule {
  readonly path: string;
  /** Names of the property's parent objects. */
  readonly parents: readonly string[];
  readonly property: Property;
  readonly expression: string;
  readonly evaluate: Evaluate<Value>;
  /** Paths of the input that the expression reads. */
  readonly inPaths: ReadonlySet<string>;
}

/**
 * Parses and resolves an expression, independent of its output property.
 *
 * @param inPaths receives the paths of the input that it reads.
 * @throws ExpressionFault
 */
export const meaningOf = (expression: string, input: Schema, inPaths: Set<string>): Expression =>
  analyse(parseExpression(expression), input, inPaths);

/** Compiles the expression of an output property. @throws ExpressionFault */
export const compileRule = (
  path: string,
  expression: string,
  property: Property,
  input: Schema,
): Rule => {
  const inPaths = new Set<string>();
  const evaluate = meaningOf(expression, input, inPaths).into(destination(property.type));
  const parents = path.split('.').slice(0, -1);
  return { path, parents, property, expression, evaluate, inPaths };
};

/**
 * Evaluates a rule for a record. An OutputValidationError is returned, not thrown, since a TransformationError of
 * another rule takes precedence.
 *
 * @throws TransformationError
 */
export const applyRule = (rule: Rule, record: RecordValue): Value | OutputValidationError => {
  try {
    return rule.evaluate(record);
  } catch (cause) {
    if (!(cause instanceof Fault || cause instanceof Mismatch)) throw cause;
    const failure = { path: rule.path, expression: rule.expression, value: cause.value };
    if (cause instanceof Fault) throw new TransformationError(cause.message, failure, { cause });
    return new OutputValidationError(cause.message, failure, { cause });
  }
};
