import type { Json, RecordValue, Schema } from '@penstock/schema';
import { columnOf } from './columns';
import type { Condition, Filter } from './filter';
import { lookUp } from './look-up';
import { seenValue } from './seen-value';
import { rowOf } from './operators';
import { locate } from './target';

/** How a condition came to its verdict on a record. */
export interface ExplainedCondition extends Pick<Condition, 'property' | 'operator' | 'values'> {
  /** What the record holds there; undefined: nothing. */
  readonly seen: Json | undefined;
  readonly holds: boolean;
}

/** A filter ready for records. No function throws, whatever a record holds. */
export interface CompiledFilter {
  readonly matches: (record: RecordValue) => boolean;
  /**
   * Index of the condition that settled that the record does not match: with `and` the first that is false,
   * with `or` the last. Undefined when the record matches.
   */
  readonly failing: (record: RecordValue) => number | undefined;
  /** Whether each condition holds, in their order. Evaluates all of them, to explain a result to people. */
  readonly verdicts: (record: RecordValue) => readonly boolean[];
  /** As {@link verdicts}, with what each condition compares and has seen. */
  readonly explain: (record: RecordValue) => readonly ExplainedCondition[];
}

type Decision = Omit<CompiledFilter, 'verdicts' | 'explain'>;

type Predicate = (record: RecordValue) => boolean;

interface CompiledCondition {
  readonly holds: Predicate;
  readonly explain: (record: RecordValue) => ExplainedCondition;
}

const compileCondition = (condition: Condition, schema: Schema): CompiledCondition => {
  const { property, operator, values } = condition;
  const target = locate(schema, property);
  if (typeof target === 'string') throw new RangeError(target);
  const { type } = target.property;
  const make = rowOf(operator).tests[columnOf(type)];
  if (make === undefined) throw new RangeError(`"${operator}" does not fit "${property}"`);
  const find = lookUp(target);
  const test = make(type, values);
  return {
    holds: (record) => test(find(record)),
    explain: (record) => {
      const value = find(record);
      return { property, operator, values, seen: seenValue(type, value), holds: test(value) };
    },
  };
};

const allOf = (predicates: readonly Predicate[]): Decision => {
  const failing = (record: RecordValue): number | undefined => {
    for (let index = 0; index < predicates.length; index += 1)
      if (predicates[index]?.(record) === false) return index;
    return undefined;
  };
  return { failing, matches: (record) => failing(record) === undefined };
};

const anyOf = (predicates: readonly Predicate[]): Decision => {
  const matches = (record: RecordValue): boolean => {
    for (const predicate of predicates) if (predicate(record)) return true;
    return false;
  };
  const last = predicates.length - 1;
  return { matches, failing: (record) => (matches(record) ? undefined : last) };
};

/**
 * Compiles once into closures over the parsed operands. Conditions are evaluated from left to right, until the
 * result is known.
 *
 * @throws RangeError when the filter was parsed against another schema: the caller's bug.
 */
export const compileFilter = (filter: Filter, schema: Schema): CompiledFilter => {
  const conditions = filter.conditions.map((condition) => compileCondition(condition, schema));
  const predicates = conditions.map(({ holds }) => holds);
  return {
    ...(filter.logical === 'and' ? allOf(predicates) : anyOf(predicates)),
    verdicts: (record) => predicates.map((predicate) => predicate(record)),
    explain: (record) => conditions.map(({ explain }) => explain(record)),
  };
};
