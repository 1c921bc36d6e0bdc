/** Edits (insert, delete, replace a character) from one word to the other. Source: Wagner and Fischer, 1974. */
const distance = (from: string, to: string): number => {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + Number(from[i - 1] !== to[j - 1]);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
};

/** Longer words are no typing errors of a name, and would make the search dear. */
const MAX_LENGTH = 64;

/** The name that was probably meant, for an error message: at most a third of its letters differ. */
export const nearest = (word: string, names: readonly string[]): string | undefined => {
  if (word.length > MAX_LENGTH) return undefined;
  const lower = word.toLowerCase();
  const ranked = names
    .filter((name) => name.length <= MAX_LENGTH)
    .map((name) => ({ name, edits: distance(lower, name.toLowerCase()) }))
    .filter(({ name, edits }) => edits <= Math.max(1, name.length / 3))
    .sort((left, right) => left.edits - right.edits);
  return ranked[0]?.name;
};
