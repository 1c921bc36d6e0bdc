import { FileFault } from '../content/file-fault';

/** Combining marks, which are what is left of accents. */
const MARKS = /\p{M}/gu;
/** Half a character, which a name has where a file is not UTF-8. */
const HALVES = /\p{Cs}/gu;
const OTHERS = /[^A-Za-z0-9_]+/g;

/**
 * The name of the property that a column becomes: trimmed, accents taken off, each other run of characters one `_`, a
 * leading digit gets a `_` before it.
 *
 * @returns `''` when no letter, digit or `_` is left.
 */
export const propertyNameOf = (column: string): string => {
  const plain = column.trim().normalize('NFD').replace(MARKS, '');
  if (!/[A-Za-z0-9_]/.test(plain)) return '';
  return plain.replace(OTHERS, '_').replace(/^(?=\d)/, '_');
};

/** Characters of a name that a message repeats. */
const MAX_SHOWN = 60;

/** A name as messages repeat it: cut, and without half of a character. */
export const shownName = (column: string): string => {
  const characters = Array.from(column.replace(HALVES, '\ufffd'));
  const text = characters.slice(0, MAX_SHOWN).join('');
  return JSON.stringify(characters.length > MAX_SHOWN ? `${text}…` : text);
};

/** Why the value of a column cannot be read. @param problem the end of a sentence */
export const columnProblem = (column: string, problem: string): string =>
  `column ${shownName(column)} ${problem}`;

/**
 * {@link propertyNameOf} each column of a file.
 *
 * @throws FileFault NoColumnsFound naming the column of whose name nothing is left, or that has the same name as another.
 */
export const propertyNamesOf = (columns: readonly string[]): readonly string[] => {
  const seen = new Map<string, number>();
  return columns.map((column, index) => {
    const name = propertyNameOf(column);
    const place = `column ${String(index + 1)} (${shownName(column)})`;
    if (name === '')
      throw new FileFault('NoColumnsFound', `the name of ${place} holds no letter or digit`);
    const other = seen.get(name);
    if (other !== undefined)
      throw new FileFault(
        'NoColumnsFound',
        `${place} and column ${String(other + 1)} (${shownName(columns[other] ?? '')}) both become the property ${name}`,
      );
    seen.set(name, index);
    return name;
  });
};

const LETTERS = 26;
const FIRST_LETTER = 0x41;

/** The name of a column without one, by its index from 0: `A` to `Z`, `AA`, … */
export const columnLetters = (index: number): string => {
  const last = String.fromCharCode(FIRST_LETTER + (index % LETTERS));
  return index < LETTERS ? last : columnLetters(Math.floor(index / LETTERS) - 1) + last;
};
