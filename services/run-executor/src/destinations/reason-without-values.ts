import { type RecordValue, type Schema, textOf } from '@penstock/schema';
import { ToldWords } from './told-words';

/** What servers put between quotes that values are put between, too, and between those of names alone. */
const QUOTED = /"[^"]*"|'[^']*'/g;
const NAMED = /`[^`]*`/g;

/** What is named by the word before it. */
const OBJECT = /\b(?:column|constraint|index|key|relation|table|type)\s*$/i;

/** What stands behind a value at the end, in the words of MySQL. */
const BEHIND = /(?: for (?:key|column) (?:'[^']*'|`[^`]*`(?:\.`[^`]*`)*))?(?: at row \d+)?$/;
/** Behind this ClickHouse repeats what it was given. */
const INPUT = / before: [^]+$/;

const GONE = '…';

/** Shorter texts stand in words of the server by chance. */
const MIN_LENGTH = 4;

const valuesOf = (row: RecordValue, { properties }: Schema): readonly string[] =>
  properties.flatMap(({ name, type }) => {
    const value = row[name];
    return value === undefined || value === null ? [] : [textOf(type, value)];
  });

/**
 * Without what stands between quotes, but names. From the first quote on that may begin a value nothing stays but what is
 * known to stand behind one: a value may have quotes itself.
 */
const withoutQuoted = (text: string, names: ReadonlySet<string>): string => {
  const isName = (quoted: string, at: number, all: string): boolean =>
    names.has(quoted.slice(1, -1)) || OBJECT.test(all.slice(0, at));
  const first = [...text.matchAll(QUOTED)].find((each) => !isName(each[0], each.index, text));
  const behind = BEHIND.exec(text)?.[0] ?? '';
  const cut = first === undefined ? text : `${text.slice(0, first.index)}${GONE}${behind}`;
  return cut.replace(NAMED, (name, at: number) =>
    isName(name, at, cut) || behind.includes(name) ? name : GONE,
  );
};

/**
 * Why a server refuses rows, in its words, without the values of the rows that it repeats.
 *
 * @param names that may stay, beside those of the properties.
 */
export const reasonWithoutValues = (
  reason: string,
  rows: readonly RecordValue[],
  schema: Schema,
  names: readonly string[],
): string => {
  const known = new Set([GONE, ...names, ...schema.properties.map(({ name }) => name)]);
  const values = rows.flatMap((row) => valuesOf(row, schema));
  const told = values
    .filter((text) => text.length >= MIN_LENGTH)
    .sort((one, other) => other.length - one.length)
    .reduce(
      (text, value) => text.replaceAll(value, GONE),
      reason.replace(INPUT, ` before: ${GONE}`),
    );
  const kept = withoutQuoted(told, known);
  // Where a value may begin at the front nothing stays: known words of the server do.
  return kept === GONE ? new ToldWords(values, known).tell(reason) || GONE : kept;
};
