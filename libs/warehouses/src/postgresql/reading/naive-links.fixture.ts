import type { ResolutionRules } from '../../platform/resolver';
import { ownerOf, type StoredRow, valueOf } from '../../platform/naive-resolution.fixture';

/** By what two identities are joined directly, one after the other. */
interface Joined {
  readonly rule: string;
  readonly identifier: string | null;
  readonly value: string;
}

const joinedBy = (
  rows: readonly StoredRow[],
  [one, other]: readonly [StoredRow, StoredRow],
  rules: ResolutionRules,
): readonly Joined[] => {
  const found: Joined[] = [];
  const add = (rule: string, value: string, identifier: string | null = null): void => {
    found.push({ rule, identifier, value });
  };
  if (one._connection === other._connection) {
    const id = other._record_id;
    if (one._anonymous === other._anonymous && one._record_id === id) add('a', id);
    if (other._anonymous && !one._anonymous && ownerOf(rows, one._connection, id) === one)
      add('b', id);
    if (!one._anonymous && one._previous_ids.includes(id)) add('c', id);
  }
  const path = rules.identifiers.find((each) =>
    [one, other].every((row) => valueOf(row, each, rules) !== ''),
  );
  if (path === undefined) return found;
  const value = valueOf(one, path, rules);
  if (value === valueOf(other, path, rules)) add('d', value, path);
  return found;
};

/** What is in which link of a profile: a text for each link and identity. */
export const naiveLinks = (
  rows: readonly StoredRow[],
  profile: string,
  rules: ResolutionRules,
): ReadonlySet<string> => {
  const own = rows.filter(({ _profile_id }) => _profile_id === profile);
  const found = new Set<string>();
  for (const one of own)
    for (const other of own) {
      if (one === other) continue;
      for (const { rule, identifier, value } of joinedBy(rows, [one, other], rules))
        for (const each of [one, other]) found.add(linkedText({ rule, identifier, value }, each));
    }
  return found;
};

/** An identity in a link as a text. */
export const linkedText = (
  { rule, identifier, value }: { rule: string; identifier: string | null; value: string | null },
  row: Pick<StoredRow, '_pipeline' | '_record_id' | '_anonymous'>,
): string =>
  JSON.stringify([rule, identifier, value, row._pipeline, row._record_id, row._anonymous]);
