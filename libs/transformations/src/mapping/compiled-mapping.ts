import { newRecord, type RecordValue, type Schema, type Value } from '@penstock/schema';
import { OutputValidationError } from './errors';
import { beginSearches } from './functions/search-time';
import { type FindMissing, missingRequired } from './missing-required';
import { isRequired, type Purpose } from './purpose';
import { applyRule, type Rule } from './rule';

type Output = ReturnType<typeof newRecord>;

/** Sets a value at its path, creating the parent objects. */
const put = (output: Output, { parents, property }: Rule, value: Value): void => {
  let target = output;
  for (const name of parents) target = (target[name] ??= newRecord()) as Output;
  target[property.name] = value;
};

/** Finders of missing required properties, for each output property that the mapping sets. */
const searches = (output: Schema, rules: readonly Rule[], purpose: Purpose) => {
  const given = new Set(rules.map(({ path }) => path.split('.', 1)[0]));
  const found: [name: string, find: FindMissing][] = [];
  for (const { name, type } of output.properties) {
    const find = given.has(name) ? missingRequired(type, purpose) : undefined;
    if (find) found.push([name, find]);
  }
  return found;
};

/** A compiled mapping, ready for records. */
export class CompiledMapping {
  /** Paths of the input that the expressions read, cut at the first json or map property; sorted, unique. */
  readonly inPaths: readonly string[];
  /** Paths of the output properties that have an expression; sorted. */
  readonly outPaths: readonly string[];

  private readonly missing: Readonly<Record<Purpose, readonly [string, FindMissing][]>>;

  constructor(
    private readonly rules: readonly Rule[],
    output: Schema,
  ) {
    this.inPaths = [...new Set(rules.flatMap(({ inPaths }) => [...inPaths]))].sort();
    this.outPaths = rules.map(({ path }) => path).sort();
    this.missing = {
      None: [],
      Create: searches(output, rules, 'Create'),
      Update: searches(output, rules, 'Update'),
    };
  }

  /**
   * Computes the output record, nested by path. Nulls are left out unless the property is nullable.
   *
   * @param record a value of the input schema.
   * @throws TransformationError or OutputValidationError, and nothing else; TransformationError when both apply.
   */
  apply(record: RecordValue, purpose: Purpose): RecordValue {
    beginSearches();
    const output = newRecord();
    let invalid: OutputValidationError | undefined;
    for (const rule of this.rules) {
      const value = applyRule(rule, record);
      if (value instanceof OutputValidationError) invalid ??= value;
      else if (value !== null || rule.property.nullable) put(output, rule, value);
      else if (isRequired(rule.property, purpose)) invalid ??= required(rule, purpose);
    }
    if (invalid) throw invalid;
    this.checkMissing(output, purpose);
    return output;
  }

  private checkMissing(output: RecordValue, purpose: Purpose): void {
    for (const [name, find] of this.missing[purpose]) {
      const value = output[name];
      const missing = value === undefined || value === null ? undefined : find(value);
      if (missing !== undefined)
        throw new OutputValidationError(reason(purpose), { path: name + missing });
    }
  }
}

const reason = (purpose: Purpose): string => `required (${purpose}), but not given`;

const required = ({ path, expression }: Rule, purpose: Purpose): OutputValidationError =>
  new OutputValidationError(reason(purpose), { path, expression });
