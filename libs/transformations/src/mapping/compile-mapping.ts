import { Invalid, type Issue, pointer, type Schema } from '@penstock/schema';
import { CompiledMapping } from './compiled-mapping';
import { propertyOf } from './keys';
import { compileRule, meaningOf, type Rule } from './rule';
import { ExpressionFault, position } from './syntax/expression-fault';

/** Maximal number of keys of one mapping. */
export const MAX_KEYS = 1_000;

/** Compiles the expression of a key; returns an issue when it is wrong. */
const unlessFaulty = <T>(key: string, expression: string, compile: () => T): T | Issue => {
  try {
    return compile();
  } catch (error) {
    if (!(error instanceof ExpressionFault)) throw error;
    return { path: pointer(key), message: `${position(expression, error.at)}: ${error.message}` };
  }
};

const compileKey = (
  key: string,
  expression: string,
  keys: ReadonlySet<string>,
  [input, output]: readonly [Schema, Schema],
): Rule | Issue => {
  const property = propertyOf(key, keys, output);
  if ('message' in property) return property;
  return unlessFaulty(key, expression, () => compileRule(key, expression, property, input));
};

/** @throws Invalid when the mapping has no key, or too many. */
const checkCount = ({ size }: ReadonlyMap<string, string>): void => {
  if (size === 0) throw new Invalid([{ path: '', message: 'the mapping is empty' }]);
  if (size > MAX_KEYS) throw new Invalid([{ path: '', message: `more than ${MAX_KEYS} keys` }]);
};

/**
 * Checks expressions without an output schema: their keys are not checked.
 *
 * @throws Invalid like {@link compileMapping}.
 */
export const checkExpressions = (mapping: ReadonlyMap<string, string>, input: Schema): void => {
  checkCount(mapping);
  const issues = [...mapping].flatMap(([key, expression]) => {
    const checked = unlessFaulty(key, expression, () => meaningOf(expression, input, new Set()));
    return 'message' in checked ? [checked] : [];
  });
  if (issues.length > 0) throw new Invalid(issues);
};

/**
 * Compiles the expressions of a mapping into closures.
 *
 * @param mapping expressions by path of their output property.
 * @throws Invalid with an issue for every key that is wrong; the path is the key's JSON pointer.
 */
export const compileMapping = (
  mapping: ReadonlyMap<string, string>,
  input: Schema,
  output: Schema,
): CompiledMapping => {
  checkCount(mapping);
  const keys = new Set(mapping.keys());
  const rules: Rule[] = [];
  const issues: Issue[] = [];
  for (const [key, expression] of mapping) {
    const compiled = compileKey(key, expression, keys, [input, output]);
    if ('message' in compiled) issues.push(compiled);
    else rules.push(compiled);
  }
  if (issues.length > 0) throw new Invalid(issues);
  return new CompiledMapping(rules, output);
};
