/** Names further away than this are no misspelling. */
const MAX_DISTANCE = 2;

interface Rows {
  readonly before: readonly number[];
  readonly previous: readonly number[];
}

/** One row of the table of distances between beginnings of `a` and of `b`. */
const nextRow = (a: string, b: string, i: number, { before, previous }: Rows): number[] => {
  const at = (cells: readonly number[], index: number): number => cells[index] ?? Infinity;
  const row = [i];
  for (let j = 1; j <= b.length; j++) {
    const changed = at(previous, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
    const isSwap = j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
    const swapped = isSwap ? at(before, j - 2) + 1 : Infinity;
    row.push(Math.min(changed, at(previous, j) + 1, at(row, j - 1) + 1, swapped));
  }
  return row;
};

/** Letters to insert, remove, change or swap with their neighbour; Infinity as soon as it is too far. */
const distance = (a: string, b: string): number => {
  let rows: Rows = { before: [], previous: Array.from({ length: b.length + 1 }, (_, j) => j) };
  for (let i = 1; i <= a.length; i++) {
    const row = nextRow(a, b, i, rows);
    if (Math.min(...row) > MAX_DISTANCE) return Infinity;
    rows = { before: rows.previous, previous: row };
  }
  return rows.previous[b.length] ?? Infinity;
};

/** A longer name is no slip of the hand, and would make the search dear. */
const MAX_LENGTH = 64;

/** The name that was probably meant, for an error: the nearest that differs by a letter or two, case aside. */
export const nearestName = (name: string, names: Iterable<string>): string | undefined => {
  if (name.length > MAX_LENGTH) return undefined;
  let best: string | undefined;
  let least = Math.min(MAX_DISTANCE, name.length - 1) + 1;
  for (const candidate of names) {
    if (Math.abs(candidate.length - name.length) >= least) continue;
    const apart = distance(name.toLowerCase(), candidate.toLowerCase());
    if (apart < least) [best, least] = [candidate, apart];
  }
  return best;
};
