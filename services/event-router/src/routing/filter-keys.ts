import type { Condition, Filter } from '@penstock/filters';

/** What an event must be called for a filter to let it through; `null`: it may be called anything. */
export interface FilterKeys {
  /** Types, of which it must have one. */
  readonly types: ReadonlySet<string> | null;
  /** Names (`event`), of which it must have one. */
  readonly names: ReadonlySet<string> | null;
}

/** Of a pipeline that may want any event. */
export const ANY_EVENT: FilterKeys = { types: null, names: null };

const isEquality = ({ operator }: Condition): boolean =>
  operator === 'is' || operator === 'is one of';

const common = (left: ReadonlySet<string>, right: ReadonlySet<string>): ReadonlySet<string> =>
  new Set([...left].filter((value) => right.has(value)));

const valuesOf = (
  conditions: readonly Condition[],
  property: string,
): ReadonlySet<string> | null => {
  const asked = conditions.filter((each) => each.property === property && isEquality(each));
  const [first, ...others] = asked.map(({ values }): ReadonlySet<string> => new Set(values));
  return first === undefined ? null : others.reduce(common, first);
};

/** What can be told of the events that a filter lets through without asking it. */
export const filterKeys = (filter: Filter | null): FilterKeys => {
  if (filter === null) return ANY_EVENT;
  const { logical, conditions } = filter;
  if (logical === 'or' && conditions.length > 1) return ANY_EVENT;
  return { types: valuesOf(conditions, 'type'), names: valuesOf(conditions, 'event') };
};
