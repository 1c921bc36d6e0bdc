import { canonical, type Difference } from './difference';

/** Bounds the list for an installation that differs everywhere. */
const MAX_NAMED = 1_000;

/** What is named may be the key or a member of a record, which anybody who can write to the log has chosen. */
const MAX_LENGTH = 1_000;

const named = (text: string): string => text.slice(0, MAX_LENGTH).replace(/\p{C}/gu, '\ufffd');

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

/** Collects differences: the first ones with their places, all of them in number. */
export class Differences {
  readonly named: Difference[] = [];
  private found = 0;

  get count(): number {
    return this.found;
  }

  report(where: string, what: string): void {
    this.found += 1;
    if (this.named.length < MAX_NAMED) this.named.push({ where: named(where), what: named(what) });
  }

  /** Reports the members in which two objects differ. @returns whether they are equal. */
  compare(where: string, expected: object, actual: object): boolean {
    const members = differingMembers(expected, actual);
    if (members.length > 0) this.report(where, `differs in ${members.join(', ')}`);
    return members.length === 0;
  }

  /** Reports the entries that are in one of two maps only, or differ. */
  compareAll<Key>(
    where: (key: Key) => string,
    expected: ReadonlyMap<Key, object>,
    actual: ReadonlyMap<Key, object>,
  ): void {
    for (const [key, value] of expected) {
      const found = actual.get(key);
      if (found === undefined) this.report(where(key), 'is missing');
      else this.compare(where(key), value, found);
    }
    for (const key of actual.keys())
      if (!expected.has(key)) this.report(where(key), 'should not be there');
  }
}
