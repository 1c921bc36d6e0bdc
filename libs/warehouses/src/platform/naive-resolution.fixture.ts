import type { ResolutionRules } from './resolver';

/** An identity as it stands in the warehouse. */
export interface StoredRow {
  readonly _id: number;
  readonly _connection: string;
  readonly _pipeline: string;
  readonly _record_id: string;
  readonly _anonymous: boolean;
  readonly _previous_ids: readonly string[];
  readonly _anonymous_times: Readonly<Record<string, string>>;
  readonly _property_times: Readonly<Record<string, string>>;
  readonly _profile_id: string | null;
  readonly _updated_at: string;
  readonly [column: string]: unknown;
}

export const bytes = (one: string, other: string): number =>
  Buffer.compare(Buffer.from(one), Buffer.from(other));

const columnOf = (path: string): string => path.replaceAll('.', '_');

export const valueOf = (
  row: StoredRow,
  path: string,
  { blockedValues }: ResolutionRules,
): string => {
  const value = row[columnOf(path)];
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  return blockedValues.get(path)?.has(text) === true ? '' : text;
};

/** The first of the known users who were named with an anonymous id. */
export const ownerOf = (rows: readonly StoredRow[], connection: string, id: string) =>
  rows
    .filter(
      (row) => row._connection === connection && !row._anonymous && id in row._anonymous_times,
    )
    .sort(
      (one, other) =>
        bytes(one._anonymous_times[id] ?? '', other._anonymous_times[id] ?? '') ||
        bytes(one._record_id, other._record_id) ||
        one._id - other._id,
    )[0];

const isJoinedById = (rows: readonly StoredRow[], one: StoredRow, other: StoredRow): boolean => {
  if (one._connection !== other._connection) return false;
  if (one._anonymous === other._anonymous && one._record_id === other._record_id) return true;
  if (one._anonymous && !other._anonymous)
    if (ownerOf(rows, one._connection, one._record_id) === other) return true;
  return !one._anonymous && one._previous_ids.includes(other._record_id);
};

const isJoinedByValue = (one: StoredRow, other: StoredRow, rules: ResolutionRules): boolean => {
  for (const path of rules.identifiers) {
    const [mine, others] = [valueOf(one, path, rules), valueOf(other, path, rules)];
    if (mine !== '' && others !== '') return mine === others;
  }
  return false;
};

/** Every pair by the four rules, and what is connected by them, each group with the smallest number first. */
export const naiveGroups = (
  rows: readonly StoredRow[],
  rules: ResolutionRules,
): readonly (readonly StoredRow[])[] => {
  const sorted = [...rows].sort((one, other) => one._id - other._id);
  const groups: StoredRow[][] = [];
  const seen = new Set<StoredRow>();
  for (const first of sorted) {
    if (seen.has(first)) continue;
    const group = [first];
    seen.add(first);
    for (const one of group)
      for (const other of sorted) {
        if (seen.has(other)) continue;
        const isJoined =
          isJoinedById(rows, one, other) ||
          isJoinedById(rows, other, one) ||
          isJoinedByValue(one, other, rules);
        if (!isJoined) continue;
        seen.add(other);
        group.push(other);
      }
    groups.push(group.sort((one, other) => one._id - other._id));
  }
  return groups;
};

/** The value of a column of the profile of a group. */
export const naiveValue = (
  group: readonly StoredRow[],
  column: string,
  { primarySources }: ResolutionRules,
): unknown => {
  const having = group.filter((row) => row[column] !== null);
  if (having.length === 0) return null;
  if (Array.isArray(having[0]?.[column]))
    return [...new Set(having.flatMap((row) => row[column] as string[]))].sort(bytes);
  const primary = [...primarySources].find(([path]) => columnOf(path) === column)?.[1];
  const preferred = having.filter((row) => row._connection === primary);
  const stamp = (row: StoredRow): string =>
    row._property_times[column] ?? row._property_times['*'] ?? '';
  return [...(preferred.length > 0 ? preferred : having)].sort(
    (one, other) =>
      bytes(stamp(other), stamp(one)) ||
      bytes(one._connection, other._connection) ||
      bytes(one._record_id, other._record_id) ||
      bytes(one._pipeline, other._pipeline) ||
      Number(one._anonymous) - Number(other._anonymous),
  )[0]?.[column];
};
