import { type RecordValue, type Schema, textOf } from '@penstock/schema';

/** What servers put between quotes: names, and values. */
const QUOTED = /"[^"]*"|'[^']*'|`[^`]*`/g;

/** What is named by the word before it. */
const OBJECT = /\b(?:column|constraint|index|key|relation|table|type)\s*$/i;

/** Shorter texts stand in words of the server by chance. */
const MIN_LENGTH = 4;

const valuesOf = (row: RecordValue, { properties }: Schema): readonly string[] =>
  properties
    .flatMap(({ name, type }) => {
      const value = row[name];
      return value === undefined || value === null ? [] : [textOf(type, value)];
    })
    .filter((text) => text.length >= MIN_LENGTH)
    .sort((one, other) => other.length - one.length);

/**
 * Why a server refuses a row, in its words, without the values of the row that it repeats.
 *
 * @param names that may stay, beside those of the properties.
 */
export const reasonWithoutValues = (
  reason: string,
  row: RecordValue,
  schema: Schema,
  names: readonly string[],
): string => {
  const known = new Set([...names, ...schema.properties.map(({ name }) => name)]);
  const unquoted = reason.replace(QUOTED, (quoted, at: number) =>
    known.has(quoted.slice(1, -1)) || OBJECT.test(reason.slice(0, at)) ? quoted : '…',
  );
  return valuesOf(row, schema).reduce((text, value) => text.replaceAll(value, '…'), unquoted);
};
