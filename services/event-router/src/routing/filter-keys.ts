import type { Condition, Filter } from '@penstock/filters';

/** Types and names that an event must have for a filter to match it; `null`: any. */
export interface FilterKeys {
  /** The event's `type` must be one of these. */
  readonly types: ReadonlySet<string> | null;
  /** The event's name (`event`) must be one of these. */
  readonly names: ReadonlySet<string> | null;
}

/** Keys of a pipeline that may match any event. */
export const ANY_EVENT: FilterKeys = { types: null, names: null };

const isEquality = ({ operator }: Condition): boolean =>
  operator === 'is' || operator === 'is one of';

const common = (left: ReadonlySet<string>, right: ReadonlySet<string>): ReadonlySet<string> =>
  new Set([...left].filter((value) => right.has(value)));

const valuesOf = (
  conditions: readonly Condition[],
  property: string,
): ReadonlySet<string> | null => {
  const equalities = conditions.filter((each) => each.property === property && isEquality(each));
  const [first, ...others] = equalities.map(({ values }): ReadonlySet<string> => new Set(values));
  return first === undefined ? null : others.reduce(common, first);
};

/** The types and names that a filter requires, for looking up filters without evaluating them. */
export const filterKeys = (filter: Filter | null): FilterKeys => {
  if (filter === null) return ANY_EVENT;
  const { logical, conditions } = filter;
  if (logical === 'or' && conditions.length > 1) return ANY_EVENT;
  return { types: valuesOf(conditions, 'type'), names: valuesOf(conditions, 'event') };
};
