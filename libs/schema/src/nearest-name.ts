/** Names further away than this are no misspelling. */
const MAX_DISTANCE = 2;

/**
 * Cells of one row of the table of distances between beginnings of `a` and of `b`: those at most {@link MAX_DISTANCE} from
 * the diagonal, since all others are too far.
 */
type Row = readonly number[];

const WIDTH = 2 * MAX_DISTANCE + 1;

interface Rows {
  readonly before: Row;
  readonly previous: Row;
}

const FIRST_ROW: Row = Array.from({ length: WIDTH }, (_, cell) =>
  cell < MAX_DISTANCE ? Infinity : cell - MAX_DISTANCE,
);

const nextRow = (a: string, b: string, i: number, { before, previous }: Rows): number[] => {
  const row: number[] = [];
  for (let cell = 0; cell < WIDTH; cell++) {
    const j = i + cell - MAX_DISTANCE;
    if (j < 0 || j > b.length) {
      row.push(Infinity);
      continue;
    }
    const isSame = a[i - 1] === b[j - 1];
    const isSwap = j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
    const changed = j === 0 ? Infinity : (previous[cell] ?? Infinity) + (isSame ? 0 : 1);
    const swapped = isSwap ? (before[cell] ?? Infinity) + 1 : Infinity;
    const removed = (previous[cell + 1] ?? Infinity) + 1;
    row.push(Math.min(changed, swapped, removed, (row[cell - 1] ?? Infinity) + 1));
  }
  return row;
};

/** Letters to insert, remove, change or swap with their neighbour; Infinity as soon as it is too far. */
const distance = (a: string, b: string): number => {
  let rows: Rows = { before: [], previous: FIRST_ROW };
  for (let i = 1; i <= a.length; i++) {
    const row = nextRow(a, b, i, rows);
    if (Math.min(...row) > MAX_DISTANCE) return Infinity;
    rows = { before: rows.previous, previous: row };
  }
  return rows.previous[b.length - a.length + MAX_DISTANCE] ?? Infinity;
};

/** A longer name is no slip of the hand, and would make the search dear. */
const MAX_LENGTH = 64;

/** The name that was probably meant, for an error: the nearest that differs by a letter or two, case aside. */
export const nearestName = (name: string, names: Iterable<string>): string | undefined => {
  if (name.length > MAX_LENGTH) return undefined;
  let best: string | undefined;
  let least = Math.min(MAX_DISTANCE, name.length - 1) + 1;
  const lower = name.toLowerCase();
  for (const candidate of names) {
    if (Math.abs(candidate.length - name.length) >= least) continue;
    const apart = distance(lower, candidate.toLowerCase());
    if (apart < least) [best, least] = [candidate, apart];
  }
  return best;
};
