import { Invalid, type Issue, pointer, type Schema } from '@penstock/schema';
import { CompiledMapping } from './compiled-mapping';
import { propertyOf } from './keys';
import { compileRule, type Rule } from './rule';
import { ExpressionFault } from './syntax/expression-fault';
import { position } from './syntax/position';

/** Keys of one mapping. */
export const MAX_KEYS = 1_000;

const compileKey = (
  key: string,
  expression: string,
  keys: ReadonlySet<string>,
  [input, output]: readonly [Schema, Schema],
): Rule | Issue => {
  const property = propertyOf(key, keys, output);
  if ('message' in property) return property;
  try {
    return compileRule(key, expression, property, input);
  } catch (error) {
    if (!(error instanceof ExpressionFault)) throw error;
    return { path: pointer(key), message: `${position(expression, error.at)}: ${error.message}` };
  }
};

/**
 * Compiles the expressions of a mapping into closures.
 *
 * @param mapping expressions by path of the output property that each is for.
 * @throws Invalid with an issue for every key that is wrong; the path is the key's JSON pointer.
 */
export const compileMapping = (
  mapping: ReadonlyMap<string, string>,
  input: Schema,
  output: Schema,
): CompiledMapping => {
  if (mapping.size === 0) throw new Invalid([{ path: '', message: 'the mapping is empty' }]);
  if (mapping.size > MAX_KEYS)
    throw new Invalid([{ path: '', message: `more than ${MAX_KEYS} keys` }]);
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
