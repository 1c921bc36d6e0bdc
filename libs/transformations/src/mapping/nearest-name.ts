/** Names further away than this are no misspelling. */
const MAX_DISTANCE = 2;

/** Levenshtein distance, a swap of neighbours counted as one, by rows. */
const distance = (a: string, b: string): number => {
  let previous: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const before = previous;
    previous = row;
    row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      const isSwap = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const at = (cells: readonly number[], index: number) => cells[index] ?? Infinity;
      row[j] = Math.min(at(previous, j) + 1, at(row, j - 1) + 1, at(previous, j - 1) + cost);
      if (isSwap) row[j] = Math.min(at(row, j), at(before, j - 2) + 1);
    }
  }
  return row[b.length] ?? Infinity;
};

/** The name that was probably meant: the nearest that differs by a letter or two, case aside. */
const nearest = (name: string, names: Iterable<string>): string | undefined => {
  let best: string | undefined;
  let least = Math.min(MAX_DISTANCE, name.length - 1) + 1;
  for (const candidate of names) {
    if (Math.abs(candidate.length - name.length) >= least) continue;
    const apart = distance(name.toLowerCase(), candidate.toLowerCase());
    if (apart < least) [best, least] = [candidate, apart];
  }
  return best;
};

/** `; did you mean "…"?` where a known name is near, else nothing. */
export const suggestion = (name: string, names: Iterable<string>): string => {
  const meant = nearest(name, names);
  return meant === undefined ? '' : `; did you mean "${meant}"?`;
};
