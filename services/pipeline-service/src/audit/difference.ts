/** Something that does not agree with the `configuration` topic. Holds names and positions, no values. */
export interface Difference {
  /** A topic or table, and what in it. */
  readonly where: string;
  readonly what: string;
}

/** JSON text that is the same for equal values, in whatever order their members stand. */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  );

const namesOf = (...objects: readonly object[]): string[] => [
  ...new Set(objects.flatMap((object) => Object.keys(object))),
];

/** Names of the members that differ, sorted. */
const differingMembers = (one: object, other: object): string[] => {
  const [ones, others] = [new Map(Object.entries(one)), new Map(Object.entries(other))];
  return namesOf(one, other)
    .filter((name) => canonical(ones.get(name)) !== canonical(others.get(name)))
    .sort();
};

/** What is in one of two maps only, or differs, told of a place. */
export const compare = <Key>(
  where: (key: Key) => string,
  expected: ReadonlyMap<Key, object>,
  actual: ReadonlyMap<Key, object>,
): Difference[] => {
  const differences: Difference[] = [];
  for (const [key, value] of expected) {
    const found = actual.get(key);
    const members = found === undefined ? [] : differingMembers(value, found);
    if (found === undefined) differences.push({ where: where(key), what: 'is missing' });
    if (members.length > 0)
      differences.push({ where: where(key), what: `differs in ${members.join(', ')}` });
  }
  for (const key of actual.keys())
    if (!expected.has(key)) differences.push({ where: where(key), what: 'should not be there' });
  return differences;
};
