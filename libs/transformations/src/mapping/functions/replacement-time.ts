/** For all replacements of a record, in milliseconds: some thousand times what an ordinary one needs. */
const BASE_MS = 100;
/** In addition for each UTF-16 unit of the longest text: five times what a match of every one of them needs. */
const MS_A_UNIT = 0.01;
/** In any case; reached by texts of half a million units. */
const MOST_MS = 5_000;

let spentMs = 0;

/** The next replacements are those of another record. A record is mapped without a pause: no two are under way at once. */
export const beginReplacements = (): void => {
  spentMs = 0;
};

/**
 * What the replacements of this record may still take. Finding one match takes linear time, finding all of them may take
 * quadratic time (`x*y|x` in a row of `x`), and a mapping may have thousands of replacements, each within its limit.
 */
export const leftForReplacement = ({ length }: string): number =>
  Math.min(MOST_MS, BASE_MS + length * MS_A_UNIT) - spentMs;

export const noteReplacement = (ms: number): void => {
  spentMs += ms;
};
